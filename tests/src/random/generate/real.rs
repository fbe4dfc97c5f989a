//! Reals.

use optimizer_specs::ir::Extent;

use super::scope::{Facts, Known, Scope};
use super::{Generator, Want};
use crate::random::rule::{Expr, Form, Type};

const LITERALS: [&str; 17] = [
    "1f32",
    "2.5e-1",
    "1_0.0_f32",
    "0.0",
    "1.0",
    "0.5",
    "2.0",
    "0.1",
    "0.9",
    "0.999",
    "3.0",
    "1e-3",
    "0.25",
    "7.5",
    "1e-8",
    "f32::EPSILON",
    "f32::MIN_POSITIVE",
];
/// Positive, and neither small nor large.
const PLAIN: [&str; 6] = ["0.5", "1.0", "1.5", "0.1", "2.0", "0.75"];

pub(super) fn apply(form: Form, operands: Vec<Expr>) -> Expr {
    Expr::Apply(Type::Real, form, operands)
}

impl Generator {
    /// A positive literal.
    pub(super) fn plain(&mut self) -> Expr {
        Expr::real(self.pick(&PLAIN))
    }

    /// A real that fits.
    pub(super) fn real(&mut self, scope: &mut Scope, want: Want) -> Known {
        if want.depth == 0 {
            return self.real_leaf(scope, want);
        }
        let only_elements = want.element;
        match self.below(100) {
            0..36 => self.arithmetic(scope, want),
            36..48 => self.function_of_one(scope, want),
            48..57 => self.function_of_more(scope, want),
            57..66 => self.choice(scope, &Type::Real, want),
            66..70 if !only_elements => self.real_of_option(scope, want),
            70..80 if !only_elements => self.reduction(scope, want),
            80..85 if !only_elements => self.call(scope, &Type::Real, want),
            85..88 => {
                let (block, facts) = self.value_block(scope, &Type::Real, want.deeper());
                (Expr::Block(block), facts)
            }
            88..90 if !only_elements => self.counted(scope, want).unwrap_or_else(|| self.arithmetic(scope, want)),
            90..92 if !only_elements => {
                let (whole, facts) = self.whole(scope, want.host());
                (apply(Form::AsReal, vec![whole]), Facts { nonzero: false, ..facts })
            }
            92..94 if !only_elements => self.host_function(scope, want.host()),
            94..97 => self.transcendental(scope, want),
            _ => self.real_leaf(scope, want),
        }
    }

    fn real_leaf(&mut self, scope: &Scope, want: Want) -> Known {
        if !want.element && self.once_in(5) {
            return (Expr::real(self.pick(&LITERALS)), Facts::LITERAL);
        }
        match self.variable(scope, &Type::Real, want) {
            Some(known) => known,
            None if want.element => panic!("no value per element is in scope"),
            None => (self.plain(), Facts::LITERAL),
        }
    }

    /// Both operands, the text's order being that of evaluation; one of them meets the demand.
    pub(super) fn two(&mut self, scope: &mut Scope, want: Want) -> (Known, Known) {
        let first = self.once_in(2);
        let a = self.real(scope, if first { want.deeper() } else { want.any() });
        // What the first one assigns may have left nothing that varies over elements.
        let b = self.real(scope, if first || a.1.element { want.any() } else { want.deeper() });
        (a, b)
    }

    fn arithmetic(&mut self, scope: &mut Scope, want: Want) -> Known {
        if self.once_in(5) {
            let (a, a_facts) = self.real(scope, want.deeper());
            let (b, b_facts) = self.divisor(scope, want.any());
            return (apply(Form::Infix("/"), vec![a, b]), a_facts.with(b_facts));
        }
        let operator = self.pick(&["+", "-", "*", "*"]);
        let ((a, a_facts), (b, b_facts)) = self.two(scope, want);
        (apply(Form::Infix(operator), vec![a, b]), a_facts.with(b_facts))
    }

    /// What can be divided by: kept away from 0 where that could be found while compiling or on the host.
    pub(super) fn divisor(&mut self, scope: &mut Scope, want: Want) -> Known {
        let (value, facts) = self.real(scope, want.deeper());
        if !facts.literal && !facts.extent.is_host() && self.once_in(6) {
            return (value, facts);
        }
        (self.positive(value), facts)
    }

    /// At least a plain literal.
    fn positive(&mut self, value: Expr) -> Expr {
        let least = self.plain();
        let magnitude = value.method("abs", vec![]);
        let form = if self.once_in(3) { Form::Method("max") } else { Form::Infix("+") };
        apply(form, vec![magnitude, least])
    }

    fn function_of_one(&mut self, scope: &mut Scope, want: Want) -> Known {
        let (value, facts) = self.real(scope, want.deeper());
        let risky = !facts.literal && !facts.extent.is_host() && self.once_in(8);
        let made = match self.below(7) {
            0 => apply(Form::Prefix("-"), vec![value]),
            1 | 2 => value.method("abs", vec![]),
            3 => apply(Form::Call("sign".to_owned()), vec![value]),
            4 if risky => value.method("sqrt", vec![]),
            4 => value.method("abs", vec![]).method("sqrt", vec![]),
            5 => self.positive(value).method("recip", vec![]),
            _ => return self.power(scope, (value, facts), want),
        };
        (made, facts)
    }

    /// `x.powi(n)`, of small powers: a literal one, or one that the host computes.
    fn power(&mut self, scope: &mut Scope, (value, facts): Known, want: Want) -> Known {
        let value = value.method("clamp", vec![Expr::real("-3.0"), Expr::real("3.0")]);
        if !self.once_in(3) {
            let power = self.pick(&["1", "2", "3", "4", "5"]);
            return (value.method("powi", vec![Expr::int(power)]), facts);
        }
        if want.element {
            return (value.method("powi", vec![Expr::int("2")]), facts);
        }
        let base = self.positive(value);
        let (power, power_facts) = self.whole(scope, want.host());
        let power = Expr::Apply(Type::Int, Form::Method("min"), vec![power, Expr::int("6")]);
        let power = Expr::Apply(Type::Int, Form::Method("max"), vec![power, Expr::int(self.pick(&["0", "-3"]))]);
        // The power 0 makes the literal 1 of anything.
        let known = Facts { element: false, literal: facts.literal || power_facts.literal, ..facts.with(power_facts) };
        (base.method("powi", vec![power]), known)
    }

    fn function_of_more(&mut self, scope: &mut Scope, want: Want) -> Known {
        let ((a, a_facts), (b, b_facts)) = self.two(scope, want);
        let facts = a_facts.with(b_facts);
        match self.below(6) {
            0 => (a.method("min", vec![b]), facts),
            1 => (a.method("max", vec![b]), facts),
            form => {
                if form == 2 && self.once_in(4) {
                    let a = a.infix("*", b, Type::Real);
                    return (a.method("clamp", vec![Expr::real("-f32::MAX"), Expr::real("f32::MAX")]), facts);
                }
                let (c, c_facts) = self.real(scope, want.any());
                let made = match form {
                    2 => a.method("clamp", vec![b, c]),
                    3 => apply(Form::Call("lerp".to_owned()), vec![a, b, c]),
                    _ => a.method("mul_add", vec![b, c]),
                };
                (made, facts.with(c_facts))
            }
        }
    }

    /// `if condition { … } else { … }` with a value.
    pub(super) fn choice(&mut self, scope: &mut Scope, ty: &Type, want: Want) -> Known {
        let (condition, facts) = self.condition(scope, want.any());
        let arms = self.arms(scope, facts.extent, 2, |this, scope, _| this.value_block(scope, ty, want.deeper()));
        let Ok([(then, a), (otherwise, b)]) = <[_; 2]>::try_from(arms) else { unreachable!("two arms") };
        (Expr::If(Box::new(condition), then, otherwise), a.or(b, facts.extent))
    }

    /// A reduction of a value per element.
    fn reduction(&mut self, scope: &mut Scope, want: Want) -> Known {
        let Some((prefix, extent)) = self.reduction_scope(scope, want) else { return self.arithmetic(scope, want) };
        let name = self.pick(&["sum", "sum", "mean", "norm", "norm", "min", "max", "max_abs"]);
        let argument = self.reduced(scope, want, Self::real);
        (apply(Form::Call(format!("{prefix}{name}")), vec![argument]), Facts::of(extent))
    }

    /// Over what a reduction may go here.
    pub(super) fn reduction_scope(&mut self, scope: &mut Scope, want: Want) -> Option<(&'static str, Extent)> {
        if self.plain || !Extent::All.fits(want.limit) || !scope.may_reduce() {
            return None;
        }
        scope.need(Extent::Tensor);
        if Extent::Tensor.fits(want.limit) && !self.once_in(3) {
            Some(("", Extent::Tensor))
        } else {
            Some(("all::", Extent::All))
        }
    }

    /// The argument of a reduction. Nothing is assigned in it, so that what varies over elements stays.
    pub(super) fn reduced(
        &mut self,
        scope: &mut Scope,
        want: Want,
        make: fn(&mut Self, &mut Scope, Want) -> Known,
    ) -> Expr {
        let pure = std::mem::replace(&mut scope.pure, true);
        let depth = want.depth.saturating_sub(1).min(2);
        let (argument, _) = make(self, scope, Want { limit: Extent::Element, element: true, depth });
        scope.pure = pure;
        argument
    }

    /// `exp` and the like, of whatever fits: what has no finite value stays away from where it is computed while
    /// compiling or on the host.
    fn transcendental(&mut self, scope: &mut Scope, want: Want) -> Known {
        let (value, facts) = self.real(scope, want.deeper());
        let risky = !facts.literal && !facts.extent.is_host() && self.once_in(6);
        let made = match self.below(6) {
            0 if risky => value.method("exp", vec![]),
            0 => value.method("min", vec![Expr::real("3.0")]).method("exp", vec![]),
            1 if risky => value.method("ln", vec![]),
            1 => self.positive(value).method("ln", vec![]),
            2 => value.method("cbrt", vec![]),
            3 => value.method("tanh", vec![]),
            _ => {
                let (power, power_facts) = self.real(scope, want.any());
                let (base, power) = if risky {
                    (value, power)
                } else {
                    let power = power.method("clamp", vec![Expr::real("-2.0"), Expr::real("2.0")]);
                    (self.positive(value).method("min", vec![Expr::real("100.0")]), power)
                };
                return (base.method("powf", vec![power]), facts.with(power_facts));
            }
        };
        (made, facts)
    }

    /// What only the host has.
    fn host_function(&mut self, scope: &mut Scope, want: Want) -> Known {
        let (value, facts) = self.real(scope, want.deeper());
        let made = match self.below(3) {
            0 => value.method("floor", vec![]),
            1 => value.method("ceil", vec![]),
            _ => {
                let (divisor, other) = self.real(scope, want.deeper());
                let divisor = self.positive(divisor);
                return (apply(Form::Infix("%"), vec![value, divisor]), facts.with(other));
            }
        };
        (made, facts)
    }
}
