//! Whole-number divisors: none may be 0, since a whole number divided by 0 has no value.

use super::body::{Body, Place};
use super::constants::{Value, fold};
use super::types::operand;
use crate::ast::{self, text};
use crate::checked::{Expr, ExprKind, Function2, Reduction};
use crate::error::code;

impl Body<'_, '_> {
    /// Whether a divisor is never 0; one that may be is reported.
    pub(super) fn divides(&self, value: &Expr, source: &ast::Expr) -> bool {
        let constant = fold(value).ok();
        if constant == Some(Value::Int(0)) {
            self.error(code::DIVISOR, source.span, "the divisor is 0", "divide by something else");
            return false;
        }
        if matches!(value.kind, ExprKind::Error) || constant.is_some() || self.least(value).is_some_and(|it| it >= 1) {
            return true;
        }
        let bare = without_parentheses(source);
        let message = format!("the divisor `{}` may be 0", text::expr(bare));
        let help = match value.kind {
            ExprKind::Hyper(index) => match self.items.hypers.get(index as usize) {
                Some(hyper) => format!("give `{}` the range `1..`", hyper.name),
                None => String::new(),
            },
            _ => format!("write `{}.max(1)`, or divide reals: `a as f32 / b as f32`", operand(bare)),
        };
        self.error(code::DIVISOR, source.span, message, help);
        false
    }

    /// The least value that a whole number can have, where that is known.
    pub(super) fn least(&self, value: &Expr) -> Option<i64> {
        if let Ok(Value::Int(value)) = fold(value) {
            return Some(value);
        }
        match &value.kind {
            ExprKind::Local(id) => self.least_of(*id),
            ExprKind::Hyper(index) => Some(self.least_hyper(*index)),
            // Tensors without elements never take part in a step, but are registered all the same.
            ExprKind::Len | ExprKind::AllLen => Some(i64::from(self.place != Place::Require)),
            ExprKind::Step | ExprKind::Run => Some(i64::from(self.place == Place::Update)),
            ExprKind::Ndim | ExprKind::Dim(_) | ExprKind::Reduce(Reduction::Count, ..) => Some(0),
            ExprKind::Call2(function, left, right) => self.least_of_two(*function, left, right),
            ExprKind::UnwrapOr(option, otherwise) => match option.kind {
                ExprKind::Hyper(index) => Some(self.least_hyper(index).min(self.least(otherwise)?)),
                _ => None,
            },
            _ => None,
        }
    }

    fn least_of_two(&self, function: Function2, left: &Expr, right: &Expr) -> Option<i64> {
        let (left, right) = (self.least(left), self.least(right));
        match function {
            Function2::Max => left.max(right),
            Function2::Min => Some(left?.min(right?)),
            Function2::Add => Some(left?.saturating_add(right?)),
            Function2::Multiply if left? >= 0 && right? >= 0 => Some(left?.saturating_mul(right?)),
            Function2::Divide | Function2::Remainder if left? >= 0 && right? >= 1 => Some(0),
            _ => None,
        }
    }

    /// The least value of a u32 hyper-parameter, of an option that of its payload.
    pub(super) fn least_hyper(&self, index: u32) -> i64 {
        let range = self.items.hypers.get(index as usize).and_then(|hyper| hyper.range.as_ref());
        range.and_then(|range| range.start).map_or(0, |start| start as i64)
    }
}

fn without_parentheses(source: &ast::Expr) -> &ast::Expr {
    match &source.kind {
        ast::ExprKind::Paren(inner) => without_parentheses(inner),
        _ => source,
    }
}
