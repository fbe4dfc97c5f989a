//! Conditions, and statements that depend on them.

use optimizer_specs::ir::Extent;

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
            4..6 if !want.element => match self.condition_of_options(scope) {
                Some(condition) => (condition, Facts::LITERAL),
                None => self.compared_wholes(scope, want),
            },
            11 if !want.element && self.once_in(2) => self.call(scope, &Type::Bool, want),
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

    /// An `if` statement over an option or a condition, a `match`; without a value.
    pub(super) fn branch(&mut self, scope: &mut Scope, depth: u32) -> Expr {
        let want = Want { limit: self.limit_of_conditions(scope), element: false, depth: depth.min(2) };
        let enums = self.rule.enums.clone();
        if !enums.is_empty()
            && self.once_in(5)
            && let (name, variants) = self.pick(&enums)
            && let Some((value, _)) = self.option(scope, &Type::Enum(name.clone()), want)
        {
            let patterns = self.patterns(&name, &variants);
            let blocks = self.arms(scope, Extent::Const, patterns.len(), |this, scope, _| this.body(scope, depth));
            return Expr::Match(Box::new(value), patterns.into_iter().zip(blocks).collect());
        }
        let kind = self.pick(&[Type::OptionReal, Type::OptionInt]);
        let name = if self.once_in(8) { "_".to_owned() } else { self.name() };
        if self.once_in(5)
            && let Some((option, facts)) = self.option(scope, &kind, want.host())
        {
            let ty = if kind == Type::OptionReal { Type::Real } else { Type::Int };
            let blocks = self.arms(scope, Extent::Const, 2, |this, scope, place| {
                if place == 0 && name != "_" {
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
