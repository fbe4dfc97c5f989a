//! Operators of arithmetic and logic, and conversions.

use proc_macro2::Span;

use super::body::{Body, poison};
use super::types::{as_real, as_whole, operand};
use crate::ast::{self, BinaryOperator, TypeKind, text};
use crate::checked::{Expr, ExprKind, Function1, Function2, Ty};
use crate::error::code;
use crate::ir::Comparison;

/// An operand, checked, with its source for messages.
pub(super) struct Operand<'s> {
    /// What it was checked to be.
    pub value: Expr,
    /// What is written.
    pub source: &'s ast::Expr,
}

/// What an operator of two operands does.
enum Operation {
    Arithmetic(Function2),
    Logic(Function2),
    Comparison(Comparison),
}

impl Body<'_, '_> {
    /// `-x`
    pub(super) fn negate(&mut self, inner: &ast::Expr) -> (ExprKind, Ty) {
        let value = self.expr(inner);
        if !matches!(value.ty, Ty::Real | Ty::Int | Ty::Error) {
            self.items.errors.push(self.items.mismatch(&Ty::Real, &value.ty, inner));
            return (ExprKind::Error, Ty::Error);
        }
        let ty = value.ty.clone();
        (ExprKind::Call1(Function1::Negate, Box::new(value)), ty)
    }

    /// `x as type`
    pub(super) fn cast(&mut self, inner: &ast::Expr, ty: &ast::Type, span: Span) -> Expr {
        let value = self.expr(inner);
        if value.ty == Ty::Error {
            return poison(span);
        }
        match (&ty.kind, &value.ty) {
            (TypeKind::F32, Ty::Real) => value,
            (TypeKind::F32, Ty::Int) => {
                Expr { kind: ExprKind::Call1(Function1::ToReal, Box::new(value)), ty: Ty::Real, span }
            }
            (TypeKind::F32, _) => {
                self.items.errors.push(self.items.mismatch(&Ty::Real, &value.ty, inner));
                poison(span)
            }
            (TypeKind::F64, _) => {
                let help = "write `as f32`: what only the host computes is f64 all the same";
                self.error(code::TYPE, ty.span, "there is no `as f64` in the language", help);
                poison(span)
            }
            _ => {
                let message = format!("there is no `as {}` in the language", text::type_text(ty));
                let whole = text::type_text(ty).starts_with(['i', 'u']);
                let help = match value.ty {
                    Ty::Int if whole => format!("write `{}`: it is a whole number already", operand(inner)),
                    _ => "the only conversion is from a whole number: `n as f32`".to_owned(),
                };
                self.error(code::TYPE, ty.span, message, help);
                poison(span)
            }
        }
    }

    /// Checks an operator on two checked operands.
    pub(super) fn binary(
        &mut self,
        operator: BinaryOperator,
        left: Operand<'_>,
        right: Operand<'_>,
        span: Span,
    ) -> Expr {
        match operation(operator) {
            Operation::Arithmetic(function) => {
                let Some(ty) = self.number_type(operator, &left, &right, span) else { return poison(span) };
                let divides = ty == Ty::Int && matches!(function, Function2::Divide | Function2::Remainder);
                if divides && !self.divides(&right.value, right.source) {
                    return poison(span);
                }
                Expr { kind: call2(function, left, right), ty, span }
            }
            Operation::Logic(function) => {
                let wrong: Vec<_> = [&left, &right].into_iter().filter(|operand| !is_bool(operand)).collect();
                for operand in &wrong {
                    self.items.errors.push(self.items.mismatch(&Ty::Bool, &operand.value.ty, operand.source));
                }
                if wrong.is_empty() {
                    Expr { kind: call2(function, left, right), ty: Ty::Bool, span }
                } else {
                    poison(span)
                }
            }
            Operation::Comparison(comparison) => self.compare(operator, comparison, left, right, span),
        }
    }

    /// The common type of two numbers; `None` where they have none, and that is reported.
    pub(super) fn number_type(
        &self,
        operator: BinaryOperator,
        left: &Operand<'_>,
        right: &Operand<'_>,
        span: Span,
    ) -> Option<Ty> {
        match (&left.value.ty, &right.value.ty) {
            (Ty::Error, _) | (_, Ty::Error) => None,
            (Ty::Real, Ty::Real) => Some(Ty::Real),
            (Ty::Int, Ty::Int) => Some(Ty::Int),
            (Ty::Real, Ty::Int) => {
                self.mixed(operator, left, right, right, span);
                None
            }
            (Ty::Int, Ty::Real) => {
                self.mixed(operator, left, right, left, span);
                None
            }
            (Ty::Real | Ty::Int, found) => {
                self.items.errors.push(self.items.mismatch(&left.value.ty, found, right.source));
                None
            }
            (found, other) => {
                let expected = if *other == Ty::Int { Ty::Int } else { Ty::Real };
                self.items.errors.push(self.items.mismatch(&expected, found, left.source));
                None
            }
        }
    }

    /// Reports a real and a whole number under one operator.
    fn mixed(
        &self,
        operator: BinaryOperator,
        left: &Operand<'_>,
        right: &Operand<'_>,
        whole: &Operand<'_>,
        span: Span,
    ) {
        let names = [left, right].map(|operand| self.items.type_name(&operand.value.ty));
        let message = format!("`{}` mixes `{}` and `{}`", operator.text(), names[0], names[1]);
        let real = if std::ptr::eq(left, whole) { right } else { left };
        let help = match (operation(operator), as_whole(real.source)) {
            // In `step > 1.0` it is the literal that is not meant so.
            (Operation::Comparison(_), Some(literal)) if text::number(whole.source).is_none() => {
                format!("write `{literal}`")
            }
            _ => as_real(whole.source),
        };
        self.error(code::TYPE, span, message, help);
    }
}

fn call2(function: Function2, left: Operand<'_>, right: Operand<'_>) -> ExprKind {
    ExprKind::Call2(function, Box::new(left.value), Box::new(right.value))
}

fn is_bool(operand: &Operand<'_>) -> bool {
    matches!(operand.value.ty, Ty::Bool | Ty::Error)
}

fn operation(operator: BinaryOperator) -> Operation {
    match operator {
        BinaryOperator::Add => Operation::Arithmetic(Function2::Add),
        BinaryOperator::Subtract => Operation::Arithmetic(Function2::Subtract),
        BinaryOperator::Multiply => Operation::Arithmetic(Function2::Multiply),
        BinaryOperator::Divide => Operation::Arithmetic(Function2::Divide),
        BinaryOperator::Remainder => Operation::Arithmetic(Function2::Remainder),
        BinaryOperator::And => Operation::Logic(Function2::And),
        BinaryOperator::Or => Operation::Logic(Function2::Or),
        BinaryOperator::Less => Operation::Comparison(Comparison::Less),
        BinaryOperator::LessEqual => Operation::Comparison(Comparison::LessEqual),
        BinaryOperator::Greater => Operation::Comparison(Comparison::Greater),
        BinaryOperator::GreaterEqual => Operation::Comparison(Comparison::GreaterEqual),
        BinaryOperator::Equal => Operation::Comparison(Comparison::Equal),
        BinaryOperator::NotEqual => Operation::Comparison(Comparison::NotEqual),
    }
}
