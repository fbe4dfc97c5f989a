//! Conditions, and values that options decide.

use optimizer_specs::ir::Extent;

use super::real::apply;
use super::scope::{Facts, Known, Scope};
use super::{Generator, Want};
use crate::random::rule::{Block, Expr, Form, Type};

const COMPARISONS: [&str; 6] = ["<", "<=", ">", ">=", "==", "!="];

fn truth(form: Form, operands: Vec<Expr>) -> Expr {
    Expr::Apply(Type::Bool, form, operands)
}

impl Generator {
    /// A condition that fits.
    pub(super) fn condition(&mut self, scope: &mut Scope, want: Want) -> Known {
        let deep = want.depth > 0;
        match self.below(20) {
            0..3 if deep => self.both_or_either(scope, want),
            3 if deep => {
                let (value, facts) = self.condition(scope, want.deeper());
                (truth(Form::Prefix("!"), vec![value]), facts)
            }
            4..6 if !want.element => self.of_options(scope, want),
            6..9 if !want.element => self.compared_wholes(scope, want),
            9..11 if !want.element => self.compared_counts(scope, want),
            11 if deep => self.choice(scope, &Type::Bool, want),
            12 | 13 => self.variable(scope, &Type::Bool, want).unwrap_or_else(|| self.compared_reals(scope, want)),
            _ => self.compared_reals(scope, want),
        }
    }

    /// `a && b`, `a || b`: what stands on the right is evaluated under the condition on the left.
    fn both_or_either(&mut self, scope: &mut Scope, want: Want) -> Known {
        let operator = self.pick(&["&&", "||"]);
        let (a, a_facts) = self.condition(scope, want.deeper());
        let mut b = None;
        self.arms(scope, a_facts.extent, 2, |this, scope, place| {
            if place == 0 {
                b = Some(this.condition(scope, want.deeper()));
            }
        });
        let Some((b, b_facts)) = b else { unreachable!("the first arm is generated") };
        (truth(Form::Infix(operator), vec![a, b]), a_facts.or(b_facts, Extent::Const))
    }

    fn compared_reals(&mut self, scope: &mut Scope, want: Want) -> Known {
        let ((a, a_facts), (b, b_facts)) = self.two(scope, want);
        let sign_unknown = |this: &Self, one: &Expr, other: &Expr| match (one, other) {
            (Expr::Leaf(_, hyper), Expr::Leaf(_, zero)) => zero == "0.0" && this.may_be_negative.contains(hyper),
            _ => false,
        };
        let only_equality = sign_unknown(self, &a, &b) || sign_unknown(self, &b, &a);
        let operator = self.pick(if only_equality { &COMPARISONS[4..] } else { &COMPARISONS[..] });
        (truth(Form::Infix(operator), vec![a, b]), a_facts.with(b_facts))
    }

    fn compared_wholes(&mut self, scope: &mut Scope, want: Want) -> Known {
        let (a, a_facts) = self.whole(scope, want.host());
        let (b, b_facts) = self.whole(scope, want.host());
        (truth(Form::Infix(self.pick(&COMPARISONS)), vec![a, b]), a_facts.with(b_facts))
    }

    /// A count, compared with a number that is one for sure, or with another count.
    fn compared_counts(&mut self, scope: &mut Scope, want: Want) -> Known {
        let Some((count, facts)) = self.count(scope, want) else { return self.compared_reals(scope, want) };
        let (other, other_facts) = match self.below(3) {
            0 => self.count(scope, want),
            1 => self.variable(scope, &Type::Int, want.host()).filter(|(_, facts)| facts.nonzero),
            _ => None,
        }
        .unwrap_or_else(|| (Expr::int(self.random.below(80).to_string()), Facts::LITERAL));
        let operands = if self.once_in(3) { vec![other, count] } else { vec![count, other] };
        (truth(Form::Infix(self.pick(&COMPARISONS)), operands), facts.with(other_facts))
    }

    /// `option.is_some()`, `value == Enum::Variant`.
    fn of_options(&mut self, scope: &mut Scope, want: Want) -> Known {
        let enums = self.rule.enums.clone();
        if !enums.is_empty() && self.once_in(2) {
            let (name, variants) = self.pick(&enums);
            if let Some((value, _)) = self.variable(scope, &Type::Enum(name.clone()), want.any()) {
                let variant = Expr::Leaf(Type::Enum(name.clone()), format!("{name}::{}", self.pick(&variants)));
                let operator = self.pick(&["==", "!="]);
                return (truth(Form::Infix(operator), vec![value, variant]), Facts::LITERAL);
            }
        }
        for ty in [Type::OptionReal, Type::OptionInt] {
            if self.once_in(2)
                && let Some((option, _)) = self.variable(scope, &ty, Want { limit: Extent::Row, ..want.any() })
            {
                return (truth(Form::Method("is_some"), vec![option]), Facts::LITERAL);
            }
        }
        self.compared_wholes(scope, want)
    }

    /// A real that an option decides: `match`, `if let`, `unwrap_or`.
    pub(super) fn real_of_option(&mut self, scope: &mut Scope, want: Want) -> Known {
        let enums = self.rule.enums.clone();
        if !enums.is_empty() && self.once_in(2) {
            let (name, variants) = self.pick(&enums);
            if let Some((value, _)) = self.variable(scope, &Type::Enum(name.clone()), want.any()) {
                let patterns = self.patterns(&name, &variants);
                let arms = self.arms(scope, Extent::Const, patterns.len(), |this, scope, _| {
                    this.value_block(scope, &Type::Real, want.deeper())
                });
                let facts = arms.iter().map(|(_, facts)| *facts).reduce(|a, b| a.or(b, Extent::Const));
                let blocks = arms.into_iter().map(|(block, _)| block);
                let arms = patterns.into_iter().zip(blocks).collect();
                return (Expr::Match(Box::new(value), arms), facts.unwrap_or(Facts::LITERAL));
            }
        }
        let Some((option, facts)) = self.variable(scope, &Type::OptionReal, want.any()) else {
            return self.choice(scope, &Type::Real, want);
        };
        if self.once_in(2) {
            let (otherwise, other) = self.real(scope, want.any());
            let value = apply(Form::Method("unwrap_or"), vec![option, otherwise]);
            return (value, facts.or(other, Extent::Const));
        }
        let name = self.name();
        let arms = self.arms(scope, Extent::Const, 2, |this, scope, place| {
            if place == 0 {
                scope.value(name.clone(), Type::Real, facts);
            }
            this.value_block(scope, &Type::Real, want.deeper())
        });
        let Ok([(then, a), (otherwise, b)]) = <[_; 2]>::try_from(arms) else { unreachable!("two arms") };
        (Expr::IfSome(name, Box::new(option), then, otherwise), a.or(b, Extent::Const))
    }

    /// Patterns that cover an enum: one for each variant, or some and `_`, or some together.
    pub(super) fn patterns(&mut self, name: &str, variants: &[String]) -> Vec<String> {
        let mut patterns: Vec<String> = variants.iter().map(|variant| format!("{name}::{variant}")).collect();
        match self.below(4) {
            0 if patterns.len() > 1 => {
                let last = patterns.split_off(patterns.len() - 2);
                patterns.push(last.join(" | "));
            }
            1 if patterns.len() > 1 => {
                patterns.truncate(patterns.len() - 1);
                patterns.push("_".to_owned());
            }
            _ => {}
        }
        patterns
    }

    /// An `if` statement over an option or a condition, a `match`; without a value.
    pub(super) fn branch(&mut self, scope: &mut Scope, depth: u32) -> Expr {
        let want = Want { limit: self.limit_of_conditions(scope), element: false, depth: depth.min(2) };
        let enums = self.rule.enums.clone();
        if !enums.is_empty()
            && self.once_in(5)
            && let (name, variants) = self.pick(&enums)
            && let Some((value, _)) = self.variable(scope, &Type::Enum(name.clone()), want)
        {
            let patterns = self.patterns(&name, &variants);
            let blocks = self.arms(scope, Extent::Const, patterns.len(), |this, scope, _| this.body(scope, depth));
            return Expr::Match(Box::new(value), patterns.into_iter().zip(blocks).collect());
        }
        let (kind, name) = (self.pick(&[Type::OptionReal, Type::OptionInt]), self.name());
        if self.once_in(5)
            && let Some((option, facts)) = self.variable(scope, &kind, want.host())
        {
            let ty = if kind == Type::OptionReal { Type::Real } else { Type::Int };
            let blocks = self.arms(scope, Extent::Const, 2, |this, scope, place| {
                if place == 0 {
                    scope.value(name.clone(), ty.clone(), Facts { literal: false, ..facts });
                }
                this.arm(scope, depth, place)
            });
            let Ok([then, otherwise]) = <[Block; 2]>::try_from(blocks) else { unreachable!("two arms") };
            return Expr::IfSome(name, Box::new(option), then, otherwise);
        }
        let (condition, facts) = self.condition(scope, want);
        let blocks = self.arms(scope, facts.extent, 2, |this, scope, place| this.arm(scope, depth, place));
        let Ok([then, otherwise]) = <[Block; 2]>::try_from(blocks) else { unreachable!("two arms") };
        Expr::If(Box::new(condition), then, otherwise)
    }

    /// Now and then there is no `else`, or an `if` follows it.
    fn arm(&mut self, scope: &mut Scope, depth: u32, place: usize) -> Block {
        match self.below(6) {
            0..3 if place == 1 => Block::default(),
            3 if place == 1 && depth > 0 => Block::value(self.branch(scope, depth - 1)),
            _ => self.body(scope, depth),
        }
    }

    /// Mostly conditions of any extent; sometimes only those under which scalar states may be assigned.
    fn limit_of_conditions(&mut self, scope: &Scope) -> Extent {
        let limit = self.pick(&[Extent::Element, Extent::Element, Extent::Tensor, Extent::All, Extent::Row]);
        if scope.pure { Extent::Row } else { limit }
    }
}
