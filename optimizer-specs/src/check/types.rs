//! Types of values: which fit where, and what to say when they do not.

use proc_macro2::Span;

use crate::ast::{self, ExprKind, TypeKind, text};
use crate::checked::Ty;
use crate::error::{Diagnostic, code};
use crate::nearest::did_you_mean;

use super::body::Place;
use super::items::Items;

/// Whether a value of type `found` may stand where `expected` is asked for. What is already reported fits everywhere.
pub(super) fn fits(found: &Ty, expected: &Ty) -> bool {
    match (found, expected) {
        (Ty::Error, _) | (_, Ty::Error) => true,
        (Ty::Tuple(found), Ty::Tuple(expected)) => {
            found.len() == expected.len() && found.iter().zip(expected).all(|(found, expected)| fits(found, expected))
        }
        _ => found == expected,
    }
}

impl Items<'_> {
    /// The type as the rule's author writes it.
    pub(super) fn type_name(&self, ty: &Ty) -> String {
        match ty {
            Ty::Real => "f32".to_owned(),
            Ty::Int => "u32".to_owned(),
            Ty::Bool => "bool".to_owned(),
            Ty::OptionReal => "Option<f32>".to_owned(),
            Ty::OptionInt => "Option<u32>".to_owned(),
            Ty::Enum(index) => self.enum_of(*index).map_or_else(|| "_".to_owned(), |item| item.name.to_string()),
            Ty::Tuple(types) => {
                let types: Vec<String> = types.iter().map(|ty| self.type_name(ty)).collect();
                format!("({})", types.join(", "))
            }
            Ty::Unit => "()".to_owned(),
            Ty::Error => "_".to_owned(),
        }
    }

    /// The type of values that a written type stands for.
    pub(super) fn value_type(&self, source: &ast::Type) -> Ty {
        match &source.kind {
            TypeKind::F32 => Ty::Real,
            TypeKind::U32 => Ty::Int,
            TypeKind::Bool => Ty::Bool,
            TypeKind::Option(inner) => match inner.kind {
                TypeKind::F32 => Ty::OptionReal,
                TypeKind::U32 => Ty::OptionInt,
                _ => Ty::Error,
            },
            TypeKind::Tuple(types) if types.is_empty() => Ty::Unit,
            TypeKind::Tuple(types) => Ty::Tuple(types.iter().map(|ty| self.value_type(ty)).collect()),
            TypeKind::Named(name) => self.named_type(name),
            TypeKind::F64 => {
                let help = "write `f32`: what only the host computes is f64 there all the same";
                self.errors.error(
                    code::UNSUPPORTED_TYPE,
                    source.span,
                    "`f64` is the type of `#[host]` states only",
                    help,
                );
                Ty::Error
            }
            TypeKind::Reference(_, inner) if matches!(inner.kind, TypeKind::Refused(_)) => self.value_type(inner),
            TypeKind::Reference(..) => {
                let help = "only `hyper: &…Params` and `state: &mut State` are passed by reference";
                self.errors.error(code::UNSUPPORTED_TYPE, source.span, "a value is not a reference", help);
                Ty::Error
            }
            TypeKind::Refused(refused) => {
                self.errors.push(refused.diagnostic.clone());
                Ty::Error
            }
        }
    }

    fn named_type(&self, name: &proc_macro2::Ident) -> Ty {
        let text = name.to_string();
        if let Some(index) = self.enums.iter().position(|item| item.name == text) {
            return Ty::Enum(index as u32);
        }
        if self.is_refused(name) {
            return Ty::Error;
        }
        let names: Vec<String> = self.enums.iter().map(|item| item.name.to_string()).collect();
        let known = names.iter().map(String::as_str).chain(["f32", "u32", "bool"]);
        let help = match text.as_str() {
            "float" | "Float" | "double" | "Double" | "real" | "Real" | "number" | "Number" | "Scalar" => "write `f32`",
            "int" | "Int" | "integer" | "Integer" | "uint" | "usize" => "write `u32`",
            "String" | "Text" | "string" => crate::parse::types::TEXT,
            "Tensor" | "Vec" | "Array" | "Vector" | "Matrix" => "a rule is written for one element: write `f32`",
            "State" => "states are passed as `state: &mut State`",
            _ => "the types are f32, u32, bool, Option<f32>, Option<u32>, and enums of the module",
        };
        let help = did_you_mean(&text, known, help);
        self.errors.error(code::UNKNOWN_TYPE, name.span(), format!("no type `{text}` in this rule"), help);
        Ty::Error
    }

    /// What to say about `source`, whose type is `found`, where `expected` is asked for.
    pub(super) fn mismatch(&self, expected: &Ty, found: &Ty, source: &ast::Expr) -> Diagnostic {
        let message = format!("expected `{}`, found `{}`", self.type_name(expected), self.type_name(found));
        Diagnostic::new(code::TYPE, source.span, message).help(self.conversion(expected, found, source))
    }

    fn conversion(&self, expected: &Ty, found: &Ty, source: &ast::Expr) -> String {
        match (expected, found) {
            (Ty::Real, Ty::Int) => as_real(source),
            (Ty::Int, Ty::Real) => match as_whole(source) {
                Some(text) => format!("write `{text}`"),
                None => "an f32 does not become a whole number; whole numbers are literals, `step`, `run`, u32 \
                         hyper-parameters and the shape"
                    .to_owned(),
            },
            (Ty::Bool, Ty::Int) if text::number(source).is_some() => "write `true` or `false`".to_owned(),
            (Ty::Bool, Ty::Real) => format!("write a comparison, such as `{} != 0.0`", operand(source)),
            (Ty::Bool, Ty::OptionReal | Ty::OptionInt) => format!("write `{}.is_some()`", operand(source)),
            (Ty::Bool, Ty::Int) => format!("write a comparison, such as `{} != 0`", operand(source)),
            (Ty::Real, Ty::Bool) => format!("write `if {} {{ 1.0 }} else {{ 0.0 }}`", text::expr(source)),
            (Ty::Int, Ty::Bool) => format!("write `if {} {{ 1 }} else {{ 0 }}`", text::expr(source)),
            (Ty::Real | Ty::Int, Ty::OptionReal | Ty::OptionInt) => {
                format!("take the value out: `{0}.unwrap_or(…)` or `if let Some(x) = {0} {{ … }}`", operand(source))
            }
            (Ty::OptionReal | Ty::OptionInt, _) => "options are hyper-parameters of type `Option<…>`".to_owned(),
            (_, Ty::Unit) => "let the block end in a value, without `;`".to_owned(),
            (Ty::Unit, _) => UNUSED.to_owned(),
            _ => format!("write a value of type `{}`", self.type_name(expected)),
        }
    }
}

/// What to do with a value that nothing takes.
const UNUSED: &str = "assign it, `*param = …;` or `state.field = …;`, or leave it unused: `let _ = …;`";

/// Reports a value that nothing takes.
pub(super) fn unused(place: Place, span: Span) -> Diagnostic {
    let help = match place {
        Place::Helper => "let it be the last line, without `;`, or leave it unused: `let _ = …;`",
        _ => UNUSED,
    };
    Diagnostic::new(code::TYPE, span, "this value is not used").help(help)
}

/// How to write a whole number as a real: `1.0` for `1`, `step as f32` for `step`.
pub(super) fn as_real(source: &ast::Expr) -> String {
    match text::number(source) {
        Some(number) => format!("write `{}.0`", number.trim_end_matches("u32").trim_end_matches('_')),
        None => format!("write `{} as f32`", operand(source)),
    }
}

/// `2` for the literal `2.0`.
pub(super) fn as_whole(source: &ast::Expr) -> Option<String> {
    match &source.kind {
        ExprKind::Real(value, _) if value.fract() == 0.0 && value.abs() < 1e9 => Some(format!("{value:.0}")),
        ExprKind::Negate(inner) => as_whole(inner).map(|text| format!("-{text}")),
        ExprKind::Paren(inner) => as_whole(inner),
        _ => None,
    }
}

/// The text of an expression as it can stand before `.`, `as` or a comparison.
pub(super) fn operand(source: &ast::Expr) -> String {
    match source.kind {
        ExprKind::Binary(..) | ExprKind::Negate(_) | ExprKind::Not(_) | ExprKind::Deref(_) | ExprKind::Cast(..) => {
            format!("({})", text::expr(source))
        }
        _ => text::expr(source),
    }
}
