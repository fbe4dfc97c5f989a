//! Literals of the language: numbers and truth values.

use crate::ast::{Expr, ExprKind};
use crate::error::{Diagnostic, code};

/// Reads a literal. A real one is a decimal: its f64 value is the one nearest to what is written.
pub(super) fn literal(source: &syn::Lit) -> Expr {
    let span = source.span();
    let kind = match source {
        syn::Lit::Bool(value) => Ok(ExprKind::Bool(value.value)),
        syn::Lit::Float(value) => real(value),
        syn::Lit::Int(value) => int(value),
        syn::Lit::Str(_) => {
            let help = "a choice is an enum of the module, `pub enum Mode { Plain, Fancy }`, and a value `Mode::Plain`";
            Err(("text is not part of the language".to_owned(), help.to_owned()))
        }
        _ => {
            let help = "literals are `1.0`, `1`, `true` and `false`";
            Err(("this literal is not part of the language".to_owned(), help.to_owned()))
        }
    };
    let kind = kind.unwrap_or_else(|(message, help)| {
        ExprKind::Refused(Box::new(Diagnostic::new(code::LITERAL, span, message).help(help)))
    });
    Expr { kind, span }
}

/// What a literal is, or the message and help if it is none of the language.
type Read = Result<ExprKind, (String, String)>;

fn real(source: &syn::LitFloat) -> Read {
    match source.suffix() {
        "" | "f32" => {}
        "f64" => return Err(double(source.base10_digits())),
        _ => return Err((format!("`{source}` is not an f32"), format!("write `{}`", source.base10_digits()))),
    }
    finite(source.base10_digits().parse().unwrap_or(f64::INFINITY), &source.to_string())
}

fn finite(value: f64, text: &str) -> Read {
    if (value as f32).is_finite() {
        return Ok(ExprKind::Real(value, text.to_owned()));
    }
    Err((format!("`{text}` does not fit an f32"), "the largest is `f32::MAX`, about 3.4e38".to_owned()))
}

fn int(source: &syn::LitInt) -> Read {
    match source.suffix() {
        "" | "u32" => {}
        "f32" => {
            let value = source.base10_parse::<f64>().unwrap_or(f64::INFINITY);
            return finite(value, &source.to_string());
        }
        "f64" => return Err(double(&format!("{}.0", source.base10_digits()))),
        _ => return Err((format!("`{source}` is not a u32"), format!("write `{}`", source.base10_digits()))),
    }
    match source.base10_digits().parse::<u32>() {
        Ok(value) => Ok(ExprKind::Int(i64::from(value), source.to_string())),
        Err(_) => Err((format!("`{source}` does not fit a u32"), "the largest is 4294967295".to_owned())),
    }
}

fn double(digits: &str) -> (String, String) {
    let help = format!("write `{digits}`: what only the host computes is f64 all the same");
    ("a literal of type `f64` is not part of the language".to_owned(), help)
}
