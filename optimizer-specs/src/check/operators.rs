//! Operators: arithmetic, comparisons, conversions.

use proc_macro2::Span;

use super::body::{Body, Place, poison};
use super::types::{as_real, as_whole};
use crate::ast::{self, BinaryOperator, TypeKind, text};
use crate::checked::{Expr, ExprKind, Function1, Function2, HyperType, Ty};
use crate::error::code;
use crate::ir::Comparison;

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
        if matches!(ty.kind, TypeKind::Error) || value.ty == Ty::Error {
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
                let help = "the only conversion is from a whole number: `n as f32`";
                self.error(code::TYPE, ty.span, message, help);
                poison(span)
            }
        }
    }

    /// Checks an operator on two checked operands, each with its source.
    pub(super) fn binary(
        &mut self,
        operator: BinaryOperator,
        left: (Expr, &ast::Expr),
        right: (Expr, &ast::Expr),
        span: Span,
    ) -> Expr {
        use BinaryOperator as B;
        let function = match operator {
            B::Add => Function2::Add,
            B::Subtract => Function2::Subtract,
            B::Multiply => Function2::Multiply,
            B::Divide => Function2::Divide,
            B::Remainder => Function2::Remainder,
            B::And => return self.logical(Function2::And, left, right, span),
            B::Or => return self.logical(Function2::Or, left, right, span),
            B::Less => return self.compare(Comparison::Less, left, right, span),
            B::LessEqual => return self.compare(Comparison::LessEqual, left, right, span),
            B::Greater => return self.compare(Comparison::Greater, left, right, span),
            B::GreaterEqual => return self.compare(Comparison::GreaterEqual, left, right, span),
            B::Equal => return self.compare(Comparison::Equal, left, right, span),
            B::NotEqual => return self.compare(Comparison::NotEqual, left, right, span),
        };
        let Some(ty) = self.number_type(operator.text(), &left, &right, span) else { return poison(span) };
        if ty == Ty::Int && matches!(function, Function2::Divide | Function2::Remainder) {
            self.divisor(&right.0, right.1);
        }
        Expr { kind: ExprKind::Call2(function, Box::new(left.0), Box::new(right.0)), ty, span }
    }

    /// The common type of two numbers; `None` where they have none, and that is reported.
    fn number_type(
        &self,
        what: &str,
        (left, left_source): &(Expr, &ast::Expr),
        (right, right_source): &(Expr, &ast::Expr),
        span: Span,
    ) -> Option<Ty> {
        match (&left.ty, &right.ty) {
            (Ty::Error, _) | (_, Ty::Error) => None,
            (Ty::Real, Ty::Real) => Some(Ty::Real),
            (Ty::Int, Ty::Int) => Some(Ty::Int),
            (Ty::Real, Ty::Int) | (Ty::Int, Ty::Real) => {
                let whole = if left.ty == Ty::Int { left_source } else { right_source };
                let message = format!(
                    "`{what}` mixes `{}` and `{}`",
                    self.items.type_name(&left.ty),
                    self.items.type_name(&right.ty)
                );
                let real = if left.ty == Ty::Int { right_source } else { left_source };
                let help = match as_whole(real) {
                    // Compared with a literal it is the literal that is meant otherwise.
                    Some(literal) if is_comparison(what) && text::number(whole).is_none() => {
                        format!("write `{literal}`")
                    }
                    _ => as_real(whole),
                };
                self.error(code::TYPE, span, message, help);
                None
            }
            (Ty::Real | Ty::Int, _) => {
                self.items.errors.push(self.items.mismatch(&left.ty, &right.ty, right_source));
                None
            }
            (_, other) => {
                let expected = if *other == Ty::Int { Ty::Int } else { Ty::Real };
                self.items.errors.push(self.items.mismatch(&expected, &left.ty, left_source));
                None
            }
        }
    }

    fn logical(
        &mut self,
        function: Function2,
        left: (Expr, &ast::Expr),
        right: (Expr, &ast::Expr),
        span: Span,
    ) -> Expr {
        let mut wrong = false;
        for (value, source) in [&left, &right] {
            if !matches!(value.ty, Ty::Bool | Ty::Error) {
                self.items.errors.push(self.items.mismatch(&Ty::Bool, &value.ty, source));
                wrong = true;
            }
        }
        if wrong {
            return poison(span);
        }
        Expr { kind: ExprKind::Call2(function, Box::new(left.0), Box::new(right.0)), ty: Ty::Bool, span }
    }

    fn compare(
        &mut self,
        comparison: Comparison,
        left: (Expr, &ast::Expr),
        right: (Expr, &ast::Expr),
        span: Span,
    ) -> Expr {
        let equality = matches!(comparison, Comparison::Equal | Comparison::NotEqual);
        let kind = match (&left.0.ty, &right.0.ty) {
            (Ty::Error, _) | (_, Ty::Error) => return poison(span),
            (Ty::Enum(a), Ty::Enum(b)) if a == b && equality => {
                let equal = comparison == Comparison::Equal;
                ExprKind::SameVariant(equal, Box::new(left.0), Box::new(right.0))
            }
            (Ty::Enum(_), Ty::Enum(_)) => {
                let help = "compare variants of one enum with `==` or `!=`, or use `match`";
                self.error(code::TYPE, span, "these enum values cannot be compared so", help);
                return poison(span);
            }
            (Ty::Bool, Ty::Bool) => {
                let help = "write `a`, `!a`, or `(a && !b) || (!a && b)` for `a != b`";
                self.error(code::TYPE, span, "bools are not compared", help);
                return poison(span);
            }
            (Ty::OptionReal | Ty::OptionInt, _) | (_, Ty::OptionReal | Ty::OptionInt) => {
                let help = "write `option.is_some()`, `option.unwrap_or(value)` or `if let Some(x) = option`";
                self.error(code::TYPE, span, "options are not compared", help);
                return poison(span);
            }
            _ => {
                let what = comparison_text(comparison);
                if self.number_type(what, &left, &right, span).is_none() {
                    return poison(span);
                }
                self.switch_comparison(comparison, &left.0, &right.0);
                ExprKind::Call2(Function2::Compare(comparison), Box::new(left.0), Box::new(right.0))
            }
        };
        Expr { kind, ty: Ty::Bool, span }
    }

    /// `momentum > 0.0` says whether momentum is 0 only where it cannot be negative.
    fn switch_comparison(&self, comparison: Comparison, left: &Expr, right: &Expr) {
        if matches!(comparison, Comparison::Equal | Comparison::NotEqual) || self.place == Place::Require {
            return;
        }
        let is_zero = |value: &Expr| match value.kind {
            ExprKind::Real(value) => value == 0.0,
            ExprKind::Int(value) => value == 0,
            _ => false,
        };
        let (hyper, span) = match (&left.kind, &right.kind) {
            (ExprKind::Hyper(index), _) if is_zero(right) => (self.items.hypers.get(*index as usize), left.span),
            (_, ExprKind::Hyper(index)) if is_zero(left) => (self.items.hypers.get(*index as usize), right.span),
            _ => return,
        };
        let Some(hyper) = hyper.filter(|hyper| hyper.switch && hyper.ty != HyperType::U32) else {
            return;
        };
        if hyper.range.as_ref().and_then(|range| range.start).is_none_or(|start| start < 0.0) {
            let message =
                format!("`{}` is a `switch` and may be negative: this does not say whether it is 0", hyper.name);
            let help = format!("give it `range = 0.0..`, or compare with `{} != 0.0`", hyper.name);
            self.error(code::SWITCH, span, message, help);
        }
    }
}

fn comparison_text(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Less => "<",
        Comparison::LessEqual => "<=",
        Comparison::Greater => ">",
        Comparison::GreaterEqual => ">=",
        Comparison::Equal => "==",
        Comparison::NotEqual => "!=",
    }
}

fn is_comparison(operator: &str) -> bool {
    matches!(operator, "<" | "<=" | ">" | ">=" | "==" | "!=")
}
