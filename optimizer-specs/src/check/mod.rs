//! From the syntax tree to a checked rule: names are resolved, types known, every structural rule of the language held.
//!
//! All errors of a rule are collected; what is wrong is poisoned, so that nothing follows from it. What depends on
//! extents and options (a reduction under an element condition, a state that no path reads) is found by `lower`.

mod assign;
mod body;
mod calls;
mod choice;
mod comparison;
mod constants;
mod control;
mod divisor;
mod entries;
mod entry_arguments;
mod expr;
mod fields;
mod foreign;
mod items;
mod methods;
mod operators;
mod params;
mod reductions;
mod scope;
mod signatures;
mod states;
mod types;
mod unknown;
mod unknown_calls;
mod uses;

use crate::ast::{self, text};
use crate::checked::{Entry, ExprKind, Function, Require, Rule, Ty};
use crate::error::{Collector, Diagnostic};
use crate::naming::base_name;
use body::{Body, Place, Symbol, Uses, poison};
use items::Items;

/// A rule, checked.
#[derive(Debug)]
pub struct Checked {
    /// The rule. What is wrong in it is poisoned; `None` where too little is right to go on with.
    pub rule: Option<Rule>,
    /// All errors of the rule, those of the parser first.
    pub errors: Vec<Diagnostic>,
    /// What is odd about it.
    pub warnings: Vec<Diagnostic>,
}

impl Checked {
    /// The rule and its warnings.
    ///
    /// # Errors
    ///
    /// All errors of the rule.
    pub fn accepted(self) -> Result<(Rule, Vec<Diagnostic>), Vec<Diagnostic>> {
        match self.rule {
            Some(rule) if self.errors.is_empty() => Ok((rule, self.warnings)),
            _ => Err(self.errors),
        }
    }
}

/// Checks a rule.
pub fn check(source: &ast::Rule) -> Checked {
    let errors = Collector::new();
    errors.extend(source.errors.iter().cloned());
    let (rule, warnings) = rule(source, &errors);
    Checked { rule, errors: errors.finish(), warnings }
}

/// The checks, in the order in which they need each other, and warnings. `None` only where an error is reported.
fn rule(source: &ast::Rule, errors: &Collector) -> (Option<Rule>, Vec<Diagnostic>) {
    items::names(source, errors);
    let mut items = Items::new(source, errors);
    params::structs(&items);
    for constant in &source.constants {
        constants::constant(&items, constant);
    }
    params::hypers(&mut items);
    states::states(&mut items);
    signatures::collect(&mut items);
    entries::entries(&items);

    let (requires, require_uses): (Vec<_>, Vec<_>) = source.requires.iter().map(|it| require(&items, it)).unzip();
    let (functions, helper_uses): (Vec<_>, Vec<_>) = helpers(&items).into_iter().unzip();
    let (entries, entry_uses): (Vec<_>, Vec<_>) = entries(&items).into_iter().unzip();

    let recursive = uses::recursion(&items, &helper_uses);
    let bodies: Vec<&Uses> = entry_uses.iter().chain(&helper_uses).collect();
    uses::never_written(&items, &bodies);
    let warnings = uses::unused(&items, &bodies, &require_uses);

    let Some(params) = params::main(source).filter(|_| !recursive) else { return (None, warnings) };
    let rule = Rule {
        name: source.name.clone(),
        visibility: source.visibility.clone(),
        attributes: source.attributes.clone(),
        crate_path: source.crate_path.clone(),
        is_header: source.is_header,
        params_name: params.name.clone(),
        base_name: base_name(&params.name.to_string()),
        params_attributes: params.attributes.clone(),
        requires,
        functions,
        entries,
        hypers: items.hypers,
        states: items.states,
        inputs: items.inputs,
        scalars: items.scalars,
        enums: items.enums,
    };
    (Some(rule), warnings)
}

fn require(items: &Items<'_>, source: &ast::Require) -> (Require, Uses) {
    let mut body = Body::new(items, Place::Require);
    for (index, (hyper, ty)) in items.hypers.iter().zip(&items.hyper_types).enumerate() {
        body.declare(&hyper.name, Symbol::Value(ExprKind::Hyper(index as u32), ty.clone()));
    }
    let mut condition = body.expect(&source.condition, &Ty::Bool);
    // Whether it holds for the defaults would be said of a default that is not there.
    if !body.uses.hypers.is_disjoint(&items.refused_hypers) {
        condition = poison(condition.span);
    }
    let require = Require { condition, message: source.message.clone(), reads_shape: body.uses.shape };
    (require, body.uses)
}

fn helpers(items: &Items<'_>) -> Vec<(Function, Uses)> {
    let checked = items.helpers.iter().map(|helper| {
        let mut body = Body::new(items, Place::Helper);
        signatures::declare_helper(&mut body, helper.function, &helper.parameters);
        let arguments = body.arguments();
        let (body, uses) = body.function(&helper.function.body, &helper.result);
        let text = text::function(helper.function);
        (Function { name: helper.function.name.clone(), arguments, body, text }, uses)
    });
    checked.collect()
}

fn entries(items: &Items<'_>) -> Vec<(Entry, Uses)> {
    let functions = items.rule.functions.iter().filter(|function| signatures::is_entry(function));
    let (update, others): (Vec<_>, Vec<_>) = functions.partition(|function| function.name == "update");
    let checked = update.into_iter().chain(others).map(|function| {
        let place = if function.name == "update" { Place::Update } else { Place::Entry };
        let mut body = Body::new(items, place);
        entry_arguments::declare(&mut body, items, function);
        // That there is no result is said of its type; its value is not wrong once more.
        let result = if function.result.is_some() { Ty::Error } else { Ty::Unit };
        let (body, uses) = body.function(&function.body, &result);
        let entry = Entry {
            name: function.name.clone(),
            attributes: function.attributes.clone(),
            takes_grad: function.arguments.iter().any(|argument| argument.name == "grad"),
            mode: function.entry.as_ref().and_then(|entry| entry.mode),
            body,
            text: text::function(function),
        };
        (entry, uses)
    });
    checked.collect()
}
