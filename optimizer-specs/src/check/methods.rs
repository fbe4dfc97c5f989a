//! Methods: the element functions.

use proc_macro2::{Ident, Span};

use super::body::{Body, poison};
use super::types::{as_whole, operand};
use crate::ast::{self, text};
use crate::checked::{Expr, ExprKind, Function1, Function2, Function3, Ty};
use crate::error::code;

/// What a method does, and of what it takes its arguments.
#[derive(Clone, Copy)]
pub(super) enum Method {
    /// One real.
    Real1(Function1),
    /// One real: a question that is answered with a truth value.
    Asks(Function1),
    /// One number, real or whole.
    Number1(Function1),
    /// Two numbers of one type.
    Number2(Function2),
    /// A real and a whole number.
    Powi,
    /// A real and a real.
    Powf,
    /// Three numbers of one type.
    Clamp,
    /// Three reals.
    MulAdd,
    /// An option.
    IsSome,
    /// An option and a number.
    UnwrapOr,
}

/// Every method.
pub(super) const METHODS: [(&str, Method); 18] = [
    ("abs", Method::Number1(Function1::Abs)),
    ("sqrt", Method::Real1(Function1::Sqrt)),
    ("is_finite", Method::Asks(Function1::IsFinite)),
    ("recip", Method::Real1(Function1::Recip)),
    ("floor", Method::Real1(Function1::Floor)),
    ("ceil", Method::Real1(Function1::Ceil)),
    ("exp", Method::Real1(Function1::Exp)),
    ("ln", Method::Real1(Function1::Ln)),
    ("cbrt", Method::Real1(Function1::Cbrt)),
    ("tanh", Method::Real1(Function1::Tanh)),
    ("min", Method::Number2(Function2::Min)),
    ("max", Method::Number2(Function2::Max)),
    ("powi", Method::Powi),
    ("powf", Method::Powf),
    ("clamp", Method::Clamp),
    ("mul_add", Method::MulAdd),
    ("is_some", Method::IsSome),
    ("unwrap_or", Method::UnwrapOr),
];

fn method(name: &str) -> Option<Method> {
    METHODS.iter().find(|(known, _)| *known == name).map(|(_, method)| *method)
}

/// Whether a name is a method of the language.
pub(super) fn is_method(name: &str) -> bool {
    method(name).is_some()
}

impl Body<'_, '_> {
    /// `receiver.name(arguments)`
    pub(super) fn method(&mut self, receiver: &ast::Expr, name: &Ident, arguments: &[ast::Expr]) -> Expr {
        let span = name.span();
        if self.has_named_argument(arguments) || self.is_no_receiver(receiver, name, arguments) {
            return poison(span);
        }
        let Some(method) = method(&name.to_string()) else {
            self.unknown_method(receiver, name, arguments);
            return poison(span);
        };
        let expected = match method {
            Method::Real1(_) | Method::Asks(_) | Method::Number1(_) | Method::IsSome => 0,
            Method::Number2(_) | Method::Powi | Method::Powf | Method::UnwrapOr => 1,
            Method::Clamp | Method::MulAdd => 2,
        };
        if !self.arity(&name.to_string(), expected, arguments, span) {
            self.expr(receiver);
            return poison(span);
        }
        self.apply(method, receiver, arguments, span)
    }

    fn apply(&mut self, method: Method, receiver: &ast::Expr, arguments: &[ast::Expr], span: Span) -> Expr {
        let (kind, ty) = match (method, arguments) {
            (Method::Real1(function), []) => {
                (ExprKind::Call1(function, Box::new(self.expect(receiver, &Ty::Real))), Ty::Real)
            }
            (Method::Asks(function), []) => {
                (ExprKind::Call1(function, Box::new(self.expect(receiver, &Ty::Real))), Ty::Bool)
            }
            (Method::Number1(function), []) => {
                let (value, ty) = self.number(receiver);
                (ExprKind::Call1(function, Box::new(value)), ty)
            }
            (Method::Number2(function), [other]) => {
                let (value, ty) = self.number(receiver);
                let other = self.expect(other, &ty);
                (ExprKind::Call2(function, Box::new(value), Box::new(other)), ty)
            }
            (Method::Powi, [exponent]) => {
                let value = self.expect(receiver, &Ty::Real);
                let checked = self.expr(exponent);
                if checked.ty == Ty::Real {
                    let help = match as_whole(exponent) {
                        Some(whole) => format!("write `{}.powi({whole})`", operand(receiver)),
                        None => format!("write `{}.powf({})`", operand(receiver), text::expr(exponent)),
                    };
                    self.error(code::TYPE, exponent.span, "`powi` takes a whole number", help);
                    return poison(span);
                }
                if !matches!(checked.ty, Ty::Int | Ty::Error) {
                    self.items.errors.push(self.items.mismatch(&Ty::Int, &checked.ty, exponent));
                    return poison(span);
                }
                (ExprKind::Call2(Function2::Powi, Box::new(value), Box::new(checked)), Ty::Real)
            }
            (Method::Powf, [exponent]) => {
                let value = self.expect(receiver, &Ty::Real);
                let checked = self.expr(exponent);
                if checked.ty == Ty::Int {
                    let help = format!("write `{}.powi({})`", operand(receiver), text::expr(exponent));
                    self.error(code::TYPE, exponent.span, "`powf` takes an f32", help);
                    return poison(span);
                }
                if !matches!(checked.ty, Ty::Real | Ty::Error) {
                    self.items.errors.push(self.items.mismatch(&Ty::Real, &checked.ty, exponent));
                    return poison(span);
                }
                (ExprKind::Call2(Function2::Powf, Box::new(value), Box::new(checked)), Ty::Real)
            }
            (Method::Clamp, [low, high]) => {
                let (value, ty) = self.number(receiver);
                let (low, high) = (self.expect(low, &ty), self.expect(high, &ty));
                (ExprKind::Call3(Function3::Clamp, Box::new(value), Box::new(low), Box::new(high)), ty)
            }
            (Method::MulAdd, [factor, summand]) => {
                let value = self.expect(receiver, &Ty::Real);
                let (factor, summand) = (self.expect(factor, &Ty::Real), self.expect(summand, &Ty::Real));
                (ExprKind::Call3(Function3::MulAdd, Box::new(value), Box::new(factor), Box::new(summand)), Ty::Real)
            }
            (Method::IsSome, []) => {
                let (option, _) = self.option(receiver);
                (ExprKind::IsSome(Box::new(option)), Ty::Bool)
            }
            (Method::UnwrapOr, [otherwise]) => {
                let (option, payload) = self.option(receiver);
                let otherwise = self.expect(otherwise, &payload);
                (ExprKind::UnwrapOr(Box::new(option), Box::new(otherwise)), payload)
            }
            // The number of arguments was checked.
            _ => return poison(span),
        };
        Expr { kind, ty, span }
    }

    fn number(&mut self, source: &ast::Expr) -> (Expr, Ty) {
        let value = self.expr(source);
        if matches!(value.ty, Ty::Real | Ty::Int | Ty::Error) {
            let ty = value.ty.clone();
            return (value, ty);
        }
        self.items.errors.push(self.items.mismatch(&Ty::Real, &value.ty, source));
        (poison(source.span), Ty::Error)
    }

    fn option(&mut self, source: &ast::Expr) -> (Expr, Ty) {
        let value = self.expr(source);
        let payload = match value.ty {
            Ty::OptionReal => Ty::Real,
            Ty::OptionInt => Ty::Int,
            Ty::Error => Ty::Error,
            _ => {
                let message = format!("expected an option, found `{}`", self.items.type_name(&value.ty));
                let help = "options are hyper-parameters of type `Option<f32>` or `Option<u32>`";
                self.error(code::TYPE, source.span, message, help);
                Ty::Error
            }
        };
        (value, payload)
    }
}
