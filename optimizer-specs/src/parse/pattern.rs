//! Patterns: the left side of a `let`, `Some(x)` of an `if let`, arms of a `match`.

use proc_macro2::Span;
use syn::spanned::Spanned;

use super::attributes::refuse_all;
use super::expr::expr;
use super::unsupported;
use crate::ast::{Arm, ArmPattern, Pattern, PatternKind};
use crate::error::{Collector, code};

/// Reads the left side of a `let`.
pub(super) fn pattern(source: &syn::Pat, errors: &Collector) -> Pattern {
    let span = source.span();
    let kind = match source {
        syn::Pat::Ident(name) if name.ident == "self" => {
            refuse(source, "a rule has no `self`", "take another name", errors)
        }
        syn::Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => {
            PatternKind::Name(name.ident.clone(), name.mutability.is_some())
        }
        syn::Pat::Wild(_) => PatternKind::Wild,
        syn::Pat::Paren(inner) => return pattern(&inner.pat, errors),
        syn::Pat::Tuple(tuple) => PatternKind::Tuple(tuple.elems.iter().map(|part| pattern(part, errors)).collect()),
        _ => refuse(source, "this pattern is not part of the language", "write a name, `(a, b)` or `_`", errors),
    };
    let span = if let syn::Pat::Ident(name) = source { name.ident.span() } else { span };
    Pattern { kind, span }
}

/// Reads the pattern of an `if let`: `Some(name)` or `Some(_)`.
pub(super) fn some(source: &syn::Pat, errors: &Collector) -> Pattern {
    let span = source.span();
    if let syn::Pat::TupleStruct(call) = source
        && call.path.is_ident("Some")
        && let (Some(inner @ (syn::Pat::Ident(_) | syn::Pat::Wild(_))), 1) = (call.elems.first(), call.elems.len())
    {
        return pattern(inner, errors);
    }
    let kind = refuse(source, "`if let` takes an option apart", "write `if let Some(x) = option { … }`", errors);
    Pattern { kind, span }
}

/// Reads an arm of a `match`.
pub(super) fn arm(source: &syn::Arm, errors: &Collector) -> Arm {
    refuse_all(&source.attrs, errors);
    let mut patterns = Vec::new();
    arm_patterns(&source.pat, &mut patterns, errors);
    Arm { patterns, value: expr(&source.body, errors) }
}

fn arm_patterns(source: &syn::Pat, patterns: &mut Vec<ArmPattern>, errors: &Collector) {
    match source {
        syn::Pat::Path(path) if path.qself.is_none() && path.path.leading_colon.is_none() => {
            let segments = path.path.segments.iter().map(|segment| segment.ident.clone()).collect();
            patterns.push(ArmPattern::Path(segments, last_span(&path.path)));
        }
        syn::Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() && name.mutability.is_none() => {
            patterns.push(ArmPattern::Path(vec![name.ident.clone()], name.ident.span()));
        }
        syn::Pat::Wild(wild) => patterns.push(ArmPattern::Wild(wild.span())),
        syn::Pat::Paren(inner) => arm_patterns(&inner.pat, patterns, errors),
        syn::Pat::Or(cases) => cases.cases.iter().for_each(|case| arm_patterns(case, patterns, errors)),
        syn::Pat::Guard(guard) => {
            let help = "put an `if` into the arm's value";
            errors.error(code::UNSUPPORTED, guard.if_token.span(), "the language has no guards in a `match`", help);
            arm_patterns(&guard.pat, patterns, errors);
        }
        _ => patterns.push(ArmPattern::Other(unsupported::first(source), unsupported::names(source))),
    }
}

fn last_span(path: &syn::Path) -> Span {
    path.segments.last().map_or_else(|| path.span(), |segment| segment.ident.span())
}

fn refuse(source: &syn::Pat, message: &str, help: &str, errors: &Collector) -> PatternKind {
    errors.error(code::UNSUPPORTED, unsupported::first(source), message, help);
    PatternKind::Refused(unsupported::names(source))
}
