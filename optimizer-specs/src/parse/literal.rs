//! Literals of the language: numbers and truth values.

use crate::ast::{Expr, ExprKind};
use crate::error::{Collector, code};

/// Reads a literal. A real one is a decimal: its f64 value is the one nearest to what is written.
pub(super) fn literal(source: &syn::Lit, errors: &Collector) -> Expr {
    let span = source.span();
    let kind = match source {
        syn::Lit::Bool(value) => Ok(ExprKind::Bool(value.value)),
        syn::Lit::Float(value) => real(value),
        syn::Lit::Int(value) => int(value),
        _ => {
            Err(("this literal is not part of the language".to_owned(), "literals are `1.0`, `1`, `true` and `false`"))
        }
    };
    let kind = kind.unwrap_or_else(|(message, help)| {
        errors.error(code::LITERAL, span, message, help);
        ExprKind::Error
    });
    Expr { kind, span }
}

type Refused = (String, &'static str);

fn real(source: &syn::LitFloat) -> Result<ExprKind, Refused> {
    if !matches!(source.suffix(), "" | "f32") {
        return Err((format!("`{source}` is not an f32"), "write it without a suffix"));
    }
    match source.base10_digits().parse::<f64>() {
        Ok(value) if (value as f32).is_finite() => Ok(ExprKind::Real(value, source.to_string())),
        _ => Err((format!("`{source}` does not fit an f32"), "the largest is `f32::MAX`")),
    }
}

fn int(source: &syn::LitInt) -> Result<ExprKind, Refused> {
    if source.suffix() == "f32" {
        let value = source.base10_parse::<f64>().unwrap_or(f64::INFINITY);
        return Ok(ExprKind::Real(value, source.to_string()));
    }
    if !matches!(source.suffix(), "" | "u32") {
        return Err((format!("`{source}` is not a u32"), "write it without a suffix"));
    }
    match source.base10_digits().parse::<u32>() {
        Ok(value) => Ok(ExprKind::Int(i64::from(value), source.to_string())),
        Err(_) => Err((format!("`{source}` does not fit a u32"), "the largest is 4294967295")),
    }
}
