//! Comparisons: of numbers, of enum values, and of `switch` hyper-parameters with 0.

use proc_macro2::Span;

use super::body::{Body, Place, poison};
use super::operators::Operand;
use crate::ast::BinaryOperator;
use crate::checked::{Expr, ExprKind, Function2, HyperType, Ty};
use crate::error::code;
use crate::ir::Comparison;

impl Body<'_, '_> {
    /// Checks a comparison of two checked operands.
    pub(super) fn compare(
        &mut self,
        operator: BinaryOperator,
        comparison: Comparison,
        left: Operand<'_>,
        right: Operand<'_>,
        span: Span,
    ) -> Expr {
        let (message, help) = match (&left.value.ty, &right.value.ty) {
            (Ty::Error, _) | (_, Ty::Error) => return poison(span),
            (Ty::Enum(a), Ty::Enum(b)) if a == b && is_equality(comparison) => {
                let equal = comparison == Comparison::Equal;
                let kind = ExprKind::SameVariant(equal, Box::new(left.value), Box::new(right.value));
                return Expr { kind, ty: Ty::Bool, span };
            }
            (Ty::Enum(_), Ty::Enum(_)) => (
                "these enum values cannot be compared so",
                "compare variants of one enum with `==` or `!=`, or use `match`",
            ),
            (Ty::Bool, Ty::Bool) => {
                ("bools are not compared", "write `a`, `!a`, or `(a && !b) || (!a && b)` for `a != b`")
            }
            (Ty::OptionReal | Ty::OptionInt, _) | (_, Ty::OptionReal | Ty::OptionInt) => (
                "options are not compared",
                "write `option.is_some()`, `option.unwrap_or(value)` or `if let Some(x) = option`",
            ),
            _ => {
                if self.number_type(operator, &left, &right, span).is_none()
                    || !self.says_whether_zero(comparison, &left.value, &right.value)
                {
                    return poison(span);
                }
                let function = Function2::Compare(comparison);
                let kind = ExprKind::Call2(function, Box::new(left.value), Box::new(right.value));
                return Expr { kind, ty: Ty::Bool, span };
            }
        };
        self.error(code::TYPE, span, message, help);
        poison(span)
    }

    /// `momentum > 0.0` says whether momentum is 0 only where it cannot be negative. `false` where that is reported.
    fn says_whether_zero(&self, comparison: Comparison, left: &Expr, right: &Expr) -> bool {
        if is_equality(comparison) || self.place == Place::Require {
            return true;
        }
        let (index, span) = match (&left.kind, &right.kind) {
            (ExprKind::Hyper(index), zero) if is_zero(zero) => (*index, left.span),
            (zero, ExprKind::Hyper(index)) if is_zero(zero) => (*index, right.span),
            _ => return true,
        };
        let Some(hyper) = self.items.hypers.get(index as usize) else { return true };
        let may_be_negative = hyper.range.as_ref().and_then(|range| range.start).is_none_or(|start| start < 0.0);
        if hyper.switch && hyper.ty != HyperType::U32 && may_be_negative {
            let name = &hyper.name;
            let message = format!("`{name}` is a `switch` and may be negative: this does not say whether it is 0");
            let help = format!("give it `range = 0.0..`, or compare with `{name} != 0.0`");
            self.error(code::SWITCH, span, message, help);
            return false;
        }
        true
    }
}

fn is_equality(comparison: Comparison) -> bool {
    matches!(comparison, Comparison::Equal | Comparison::NotEqual)
}

fn is_zero(value: &ExprKind) -> bool {
    match value {
        ExprKind::Real(value) => *value == 0.0,
        ExprKind::Int(value) => *value == 0,
        _ => false,
    }
}
