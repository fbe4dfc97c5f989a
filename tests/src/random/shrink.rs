//! Makes a failing rule smaller: takes out items, statements and expressions for as long as it still fails.

use super::rule::{Block, Expr, Form, Rule, Statement, Type};

/// The smallest rule found for which `fails` holds, as it does for `rule`, within so many questions. What does not
/// compile must not count as a failure.
pub fn shrink(rule: &Rule, questions: usize, mut fails: impl FnMut(&Rule) -> bool) -> Rule {
    let mut smallest = rule.clone();
    let mut left = questions;
    loop {
        let before = smallest.clone();
        for edit in [without_item, without_statement, with_smaller_expression, with_plainer_field] {
            let mut place = 0;
            while let Some(candidate) = edit(&smallest, place) {
                if left == 0 {
                    return smallest;
                }
                // What was taken out leaves its place to what follows.
                if candidate != smallest && candidate.to_string().len() <= smallest.to_string().len() {
                    left -= 1;
                    if fails(&candidate) {
                        smallest = candidate;
                        continue;
                    }
                }
                place += 1;
            }
        }
        if smallest == before {
            return smallest;
        }
    }
}

/// Removes one item, from a list as if all were in one.
fn remove<T>(items: &mut Vec<T>, place: &mut usize) -> Option<T> {
    if *place < items.len() {
        return Some(items.remove(std::mem::replace(place, usize::MAX)));
    }
    *place -= items.len();
    None
}

/// The rule without its n-th item; what reads a hyper-parameter or state reads a literal then.
fn without_item(rule: &Rule, mut place: usize) -> Option<Rule> {
    let mut rule = rule.clone();
    if remove(&mut rule.functions, &mut place).is_some()
        || remove(&mut rule.requires, &mut place).is_some()
        || remove(&mut rule.enums, &mut place).is_some()
        || remove(&mut rule.constants, &mut place).is_some()
        || remove(&mut rule.notes, &mut place).is_some()
    {
        return Some(rule);
    }
    if let Some(hyper) = remove(&mut rule.hypers, &mut place) {
        replace_reads(&mut rule, &format!("hyper.{}", hyper.name));
        return Some(rule);
    }
    if let Some(state) = remove(&mut rule.states, &mut place) {
        let text = format!("state.{}", state.name);
        replace_reads(&mut rule, &text);
        each_block(&mut rule, &mut |block| {
            block
                .statements
                .retain(|statement| !matches!(statement, Statement::Assign(assigned, ..) if *assigned == text));
        });
        return Some(rule);
    }
    let notes = rule.hypers.iter_mut().map(|hyper| &mut hyper.notes);
    let mut lists: Vec<_> = notes.chain(rule.states.iter_mut().map(|state| &mut state.notes)).collect();
    for function in &mut rule.functions {
        lists.extend([&mut function.notes, &mut function.arguments]);
    }
    for list in lists {
        if remove(list, &mut place).is_some() {
            return Some(rule);
        }
    }
    None
}

fn replace_reads(rule: &mut Rule, text: &str) {
    each_expression(rule, &mut |expression| {
        if let Expr::Leaf(ty, read) = expression
            && read == text
            && let Some(literal) = literal(ty)
        {
            *expression = literal;
        }
    });
}

fn literal(ty: &Type) -> Option<Expr> {
    let text = match ty {
        Type::Real => "1.0",
        Type::Int => "1",
        Type::Bool => "true",
        _ => return None,
    };
    Some(Expr::Leaf(ty.clone(), text.to_owned()))
}

/// The rule without its n-th statement.
fn without_statement(rule: &Rule, mut place: usize) -> Option<Rule> {
    let mut rule = rule.clone();
    let mut found = false;
    each_block(&mut rule, &mut |block| {
        if !found {
            found = remove(&mut block.statements, &mut place).is_some();
        }
    });
    found.then_some(rule)
}

/// The rule with the n-th of all replacements of an expression.
fn with_smaller_expression(rule: &Rule, mut place: usize) -> Option<Rule> {
    let mut rule = rule.clone();
    let mut found = false;
    each_expression(&mut rule, &mut |expression| {
        if !found {
            let mut replacements = smaller(expression);
            if let Some(replacement) = remove(&mut replacements, &mut place) {
                *expression = replacement;
                found = true;
            }
        }
    });
    found.then_some(rule)
}

/// What may stand in place of an expression: a literal, an operand, an arm.
fn smaller(expression: &Expr) -> Vec<Expr> {
    let ty = expression.ty();
    let block = |block: &Block| match (&block.tail, block.statements.is_empty()) {
        (Some(tail), true) => (**tail).clone(),
        _ => Expr::Block(block.clone()),
    };
    let mut parts: Vec<Expr> = literal(&ty).into_iter().collect();
    match expression {
        Expr::Leaf(_, text) if text.parse::<f64>().is_ok() || text == "true" => parts.clear(),
        Expr::Leaf(..) => {}
        Expr::Apply(_, form, operands) => {
            parts.extend(operands.iter().filter(|operand| operand.ty() == ty).cloned());
            // Of a helper's call, other calls are no smaller.
            if let (Form::Call(_), [only]) = (form, operands.as_slice()) {
                parts.retain(|part| part != only || only.ty() == ty);
            }
        }
        Expr::If(_, then, otherwise) | Expr::IfSome(_, _, then, otherwise) => {
            parts.extend([block(then), block(otherwise)]);
        }
        Expr::Match(_, arms) => parts.extend(arms.iter().map(|(_, arm)| block(arm))),
        Expr::Block(inner) => parts.extend(inner.statements.is_empty().then(|| block(inner))),
    }
    parts
}

/// The rule with the n-th attribute of a hyper-parameter or state left out.
fn with_plainer_field(rule: &Rule, place: usize) -> Option<Rule> {
    let mut rule = rule.clone();
    let (fields, hypers) = (place / 3, rule.hypers.len());
    if let Some(hyper) = rule.hypers.get_mut(fields) {
        match place % 3 {
            0 => hyper.switch = false,
            1 => hyper.shared = false,
            _ => hyper.range = None,
        }
        return Some(rule);
    }
    let state = rule.states.get_mut(fields - hypers)?;
    match place % 3 {
        0 => state.keep = false,
        1 => state.init = None,
        _ => {}
    }
    Some(rule)
}

/// Visits every block, outer ones first.
fn each_block(rule: &mut Rule, visit: &mut dyn FnMut(&mut Block)) {
    for function in &mut rule.functions {
        visit(&mut function.body);
        blocks_of(&mut function.body, visit);
    }
}

fn blocks_of(block: &mut Block, visit: &mut dyn FnMut(&mut Block)) {
    expressions_of(block, &mut |expression| match expression {
        Expr::If(_, then, otherwise) | Expr::IfSome(_, _, then, otherwise) => {
            visit(then);
            visit(otherwise);
        }
        Expr::Match(_, arms) => arms.iter_mut().for_each(|(_, arm)| visit(arm)),
        Expr::Block(inner) => visit(inner),
        Expr::Leaf(..) | Expr::Apply(..) => {}
    });
}

/// Visits every expression, outer ones first.
fn each_expression(rule: &mut Rule, visit: &mut dyn FnMut(&mut Expr)) {
    rule.requires.iter_mut().for_each(|condition| within(condition, visit));
    rule.functions.iter_mut().for_each(|function| expressions_of(&mut function.body, visit));
}

fn expressions_of(block: &mut Block, visit: &mut dyn FnMut(&mut Expr)) {
    for statement in &mut block.statements {
        match statement {
            Statement::Let(_, _, value) | Statement::Assign(_, _, value) | Statement::Expr(value) => {
                within(value, visit)
            }
        }
    }
    if let Some(tail) = &mut block.tail {
        within(tail, visit);
    }
}

fn within(expression: &mut Expr, visit: &mut dyn FnMut(&mut Expr)) {
    visit(expression);
    match expression {
        Expr::Leaf(..) => {}
        Expr::Apply(_, _, operands) => operands.iter_mut().for_each(|operand| within(operand, visit)),
        Expr::If(condition, then, otherwise) | Expr::IfSome(_, condition, then, otherwise) => {
            within(condition, visit);
            expressions_of(then, visit);
            expressions_of(otherwise, visit);
        }
        Expr::Match(value, arms) => {
            within(value, visit);
            arms.iter_mut().for_each(|(_, arm)| expressions_of(arm, visit));
        }
        Expr::Block(block) => expressions_of(block, visit),
    }
}

#[cfg(test)]
mod tests {
    use super::super::generate;
    use super::*;

    #[test]
    fn what_does_not_matter_is_taken_out() {
        let wanted = |rule: &Rule| rule.to_string().contains("mul_add");
        let rule = (0..).map(generate::rule).find(wanted).unwrap();
        let small = shrink(&rule, 10_000, wanted);
        assert_eq!((small.hypers.len(), small.states.len(), small.functions.len()), (0, 0, 1));
        let text = small.to_string();
        // One call is left, of literals.
        let body: Vec<&str> = text.lines().filter(|line| line.contains("mul_add")).collect();
        let [line] = body.as_slice() else { panic!("{text}") };
        let (receiver, arguments) = line.trim().trim_end_matches(");").split_once(".mul_add(").unwrap();
        let numbers = receiver.rsplit(' ').take(1).chain(arguments.split(", "));
        assert!(numbers.into_iter().all(|number| number.parse::<f64>().is_ok()), "{text}");
    }
}
