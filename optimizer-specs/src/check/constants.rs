//! Constants: arithmetic on literals and other constants, folded in f64 and i64.

use proc_macro2::Span;

use super::body::{Body, Place};
use super::items::Items;
use super::types::fits;
use crate::ast;
use crate::checked::{Expr, ExprKind, Function1, Function2, Ty};
use crate::error::code;

/// The value of a constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value {
    Real(f64),
    Int(i64),
    Bool(bool),
}

/// What is known of a constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Slot {
    /// Not asked for yet.
    Unknown,
    /// Being folded: asked for again, it depends on itself.
    Folding,
    /// Folded; `None` where that failed and is reported.
    Known(Option<Value>),
}

impl Value {
    /// The value's type.
    pub fn ty(self) -> Ty {
        match self {
            Value::Real(_) => Ty::Real,
            Value::Int(_) => Ty::Int,
            Value::Bool(_) => Ty::Bool,
        }
    }

    /// The value as an expression.
    pub fn kind(self) -> ExprKind {
        match self {
            Value::Real(value) => ExprKind::Real(value),
            Value::Int(value) => ExprKind::Int(value),
            Value::Bool(value) => ExprKind::Bool(value),
        }
    }
}

/// The value of a declared constant; `None` where it is reported.
pub(super) fn constant(items: &Items<'_>, source: &ast::Constant) -> Option<Value> {
    let name = source.name.to_string();
    let slot = items.constants.borrow_mut().insert(name.clone(), Slot::Folding);
    let value = match slot {
        Some(Slot::Known(value)) => value,
        Some(Slot::Folding) => {
            let message = format!("constant `{name}` depends on itself");
            items.errors.error(code::CONSTANT, source.name.span(), message, "write its value as a literal");
            None
        }
        Some(Slot::Unknown) | None => fold_constant(items, source),
    };
    items.constants.borrow_mut().insert(name, Slot::Known(value));
    value
}

fn fold_constant(items: &Items<'_>, source: &ast::Constant) -> Option<Value> {
    let ty = items.value_type(&source.ty);
    if !matches!(ty, Ty::Real | Ty::Int | Ty::Bool | Ty::Error) {
        let message = format!("a constant of type `{}`", items.type_name(&ty));
        items.errors.error(code::CONSTANT, source.ty.span, message, "constants are f32, u32 or bool");
        return None;
    }
    folded(items, Place::Constant, &source.value, &ty)
}

/// Folds an expression that must be a constant of the given type; `None` where that fails and is reported.
pub(super) fn folded(items: &Items<'_>, place: Place, source: &ast::Expr, ty: &Ty) -> Option<Value> {
    let mut body = Body::new(items, place);
    let value = body.expect(source, ty);
    match fold(&value) {
        Ok(value) if !fits(&value.ty(), ty) => None,
        Ok(Value::Real(value)) if !(value as f32).is_finite() => {
            items.errors.error(
                code::CONSTANT,
                source.span,
                "the value does not fit an f32",
                "the largest is `f32::MAX`",
            );
            None
        }
        Ok(Value::Int(value)) if u32::try_from(value).is_err() => {
            let message = format!("{value} is not a u32");
            items.errors.error(code::CONSTANT, source.span, message, "whole-number constants go from 0 to 4294967295");
            None
        }
        Ok(value) => Some(value),
        Err(Unfoldable::Reported) => None,
        Err(Unfoldable::At(span)) => {
            let help = "write literals, other constants and `+ - * /`";
            items.errors.error(code::CONSTANT, span, "this is not a constant", help);
            None
        }
    }
}

/// Why an expression is no constant.
pub(super) enum Unfoldable {
    /// Something in it is reported already.
    Reported,
    /// What stands here is not computed at compile time.
    At(Span),
}

/// The value of an expression of literals and `+ - * /`.
pub(super) fn fold(source: &Expr) -> Result<Value, Unfoldable> {
    use Value::{Bool, Int, Real};
    let elsewhere = Unfoldable::At(source.span);
    Ok(match &source.kind {
        ExprKind::Real(value) => Real(*value),
        ExprKind::Int(value) => Int(*value),
        ExprKind::Bool(value) => Bool(*value),
        ExprKind::Error => return Err(Unfoldable::Reported),
        ExprKind::Call1(function, value) => match (function, fold(value)?) {
            (Function1::Negate, Real(value)) => Real(-value),
            (Function1::Negate, Int(value)) => Int(-value),
            (Function1::ToReal, Int(value)) => Real(value as f64),
            (Function1::Not, Bool(value)) => Bool(!value),
            _ => return Err(elsewhere),
        },
        ExprKind::Call2(function, left, right) => match (function, fold(left)?, fold(right)?) {
            (Function2::Add, Real(left), Real(right)) => Real(left + right),
            (Function2::Subtract, Real(left), Real(right)) => Real(left - right),
            (Function2::Multiply, Real(left), Real(right)) => Real(left * right),
            (Function2::Divide, Real(left), Real(right)) => Real(left / right),
            (Function2::Add, Int(left), Int(right)) => Int(left.saturating_add(right)),
            (Function2::Subtract, Int(left), Int(right)) => Int(left.saturating_sub(right)),
            (Function2::Multiply, Int(left), Int(right)) => Int(left.saturating_mul(right)),
            (Function2::Divide, Int(left), Int(right)) => Int(left.checked_div(right).ok_or(Unfoldable::Reported)?),
            (Function2::Remainder, Int(left), Int(right)) => {
                Int(left.checked_rem(right).ok_or(Unfoldable::Reported)?)
            }
            _ => return Err(elsewhere),
        },
        _ => return Err(elsewhere),
    })
}
