//! Whole numbers: those of the host, and counts, which are made on the device.

use optimizer_specs::ir::Extent;

use super::scope::{Facts, Known, Scope};
use super::{Generator, Want};
use crate::random::rule::{Expr, Form, Type};

pub(super) fn whole(form: Form, operands: Vec<Expr>) -> Expr {
    Expr::Apply(Type::Int, form, operands)
}

impl Generator {
    /// A whole number of the host that fits.
    pub(super) fn whole(&mut self, scope: &mut Scope, want: Want) -> Known {
        if want.depth == 0 {
            return self.whole_leaf(scope, want);
        }
        match self.below(14) {
            0..4 => {
                let operator = self.pick(&["+", "-", "*"]);
                let (a, a_facts) = self.whole(scope, want.deeper());
                let (b, b_facts) = self.whole_leaf(scope, want);
                (whole(Form::Infix(operator), vec![a, b]), a_facts.with(b_facts))
            }
            4..6 => {
                let operator = self.pick(&["/", "%"]);
                let (a, a_facts) = self.whole(scope, want.deeper());
                let (b, b_facts) = self.whole_divisor(scope, want);
                (whole(Form::Infix(operator), vec![a, b]), a_facts.with(b_facts))
            }
            6 => {
                let method = self.pick(&["min", "max"]);
                let (a, a_facts) = self.whole(scope, want.deeper());
                let (b, b_facts) = self.whole_leaf(scope, want);
                (a.method(method, vec![b]), a_facts.with(b_facts))
            }
            7 => self.choice(scope, &Type::Int, want.deeper()),
            8 => self.call(scope, &Type::Int, want),
            9 => {
                let (value, facts) = self.whole(scope, want.deeper());
                let (low, low_facts) = self.whole_leaf(scope, want);
                let (high, high_facts) = self.whole_leaf(scope, want);
                let clamped = value.method("clamp", vec![low, high]);
                (clamped, facts.with(low_facts).with(high_facts))
            }
            10 => {
                let (value, facts) = self.whole(scope, want.deeper());
                let facts = Facts { nonzero: false, ..facts };
                if self.once_in(2) {
                    (whole(Form::Prefix("-"), vec![value]), facts)
                } else {
                    (value.method("abs", vec![]), facts)
                }
            }
            _ => self.whole_leaf(scope, want),
        }
    }

    fn whole_leaf(&mut self, scope: &Scope, want: Want) -> Known {
        let variable = if self.once_in(3) { None } else { self.variable(scope, &Type::Int, want) };
        variable.unwrap_or_else(|| {
            (Expr::int(self.pick(&["0", "1", "2u32", "3", "0x5", "10", "1_00", "4294967295"])), Facts::LITERAL)
        })
    }

    /// A number that the compiler knows not to be 0.
    pub(super) fn whole_divisor(&mut self, scope: &mut Scope, want: Want) -> Known {
        if self.once_in(3) {
            let (value, facts) = self.whole(scope, want.deeper());
            return (value.method("max", vec![Expr::int("1")]), facts);
        }
        let variable = self.variable(scope, &Type::Int, want).filter(|(_, facts)| facts.nonzero);
        variable.unwrap_or_else(|| (Expr::int(self.pick(&["1", "2", "3", "7"])), Facts::LITERAL))
    }

    /// `count(condition)`, if a reduction may stand here.
    pub(super) fn count(&mut self, scope: &mut Scope, want: Want) -> Option<Known> {
        let (prefix, extent) = self.reduction_scope(scope, want)?;
        let condition = self.reduced(scope, want, Self::condition);
        Some((whole(Form::Call(format!("{prefix}count")), vec![condition]), Facts::of(extent)))
    }

    /// A real from a count.
    pub(super) fn counted(&mut self, scope: &mut Scope, want: Want) -> Option<Known> {
        let (count, facts) = self.count(scope, want)?;
        Some((Expr::Apply(Type::Real, Form::AsReal, vec![count]), facts))
    }
}

impl Scope {
    /// Numbers that every function has: lengths.
    pub fn shape(&mut self) {
        let nonzero = |extent| Facts { nonzero: true, ..Facts::of(extent) };
        self.value("len()", Type::Int, nonzero(Extent::Row));
        self.value("all::len()", Type::Int, nonzero(Extent::Const));
        self.value("ndim()", Type::Int, Facts::of(Extent::Row));
        self.value("dim(0)", Type::Int, Facts::of(Extent::Row));
        self.value("dim(1)", Type::Int, Facts::of(Extent::Row));
    }
}
