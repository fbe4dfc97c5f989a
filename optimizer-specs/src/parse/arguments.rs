//! The arguments of attributes: `#[hyper(…)]`, `#[require(…)]`, `#[init(…)]`, `#[entry(…)]`, `#[gpu_optimizer(…)]`.

use proc_macro2::{Ident, Span};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{Attribute, Token};

use super::attributes::span_of;
use super::expr::expr;
use super::text::of_expr;
use super::unsupported::first;
use crate::ast::{EntryAttribute, Expr, ExprKind, HyperAttribute, Range, Require};
use crate::checked::Mode;
use crate::error::{Collector, code};
use crate::nearest::did_you_mean;

/// `key` or `key = value`, the value as Rust parses it.
struct Argument {
    key: Ident,
    value: Option<syn::Expr>,
}

impl Parse for Argument {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let key = Ident::parse_any(input)?;
        let value = if input.parse::<Option<Token![=]>>()?.is_some() { Some(input.parse()?) } else { None };
        Ok(Self { key, value })
    }
}

/// Splits the arguments of an attribute; `None` where they are no list, and that is reported.
fn arguments(attribute: &Attribute, help: &str, errors: &Collector) -> Option<Vec<Argument>> {
    let parser = syn::punctuated::Punctuated::<Argument, Token![,]>::parse_terminated;
    match attribute.parse_args_with(parser) {
        Ok(arguments) => Some(arguments.into_iter().collect()),
        Err(error) => {
            let message = match error.to_string() {
                message if message == "expected ident" => "expected `key = value`".to_owned(),
                message => message,
            };
            errors.error(code::ATTRIBUTE, error.span(), message, help);
            None
        }
    }
}

const HYPER_KEYS: [&str; 4] = ["default", "range", "switch", "shared"];

/// Reads `#[hyper(default = …, range = …, switch, shared)]`.
pub(super) fn hyper(attribute: &Attribute, errors: &Collector) -> HyperAttribute {
    let span = span_of(attribute);
    let mut hyper = HyperAttribute { span, default: None, range: None, switch: None, shared: None };
    let unknown = unknown_hyper(span).default;
    let mut seen: Vec<String> = Vec::new();
    let help = "write `#[hyper(default = 0.9, range = 0.0..1.0)]`";
    let arguments = match &attribute.meta {
        syn::Meta::Path(_) => Some(Vec::new()),
        _ => arguments(attribute, help, errors),
    };
    let Some(arguments) = arguments else { return HyperAttribute { default: unknown, ..hyper } };
    for Argument { key, value } in arguments {
        let name = key.to_string();
        let is_range = |key: &str| matches!(key, "min" | "max" | "low" | "high" | "bounds" | "between");
        // `min = 0.0, max = 1.0` is one mistake.
        if is_range(&name) && seen.iter().any(|key| is_range(key)) {
            continue;
        }
        if seen.contains(&name) {
            errors.error(code::HYPER, key.span(), format!("`{name}` is given twice"), "remove one of them");
            continue;
        }
        match (name.as_str(), value) {
            ("default", Some(value)) => hyper.default = Some(expr(&value, errors)),
            ("range", Some(value)) => hyper.range = range(&value, errors),
            ("switch", None) => hyper.switch = Some(key.span()),
            ("shared", None) => hyper.shared = Some(key.span()),
            ("default" | "range", None) => {
                hyper.default = hyper.default.or_else(|| unknown.clone());
                let help = format!("write `{name} = …`");
                errors.error(code::HYPER, key.span(), format!("`{name}` needs a value"), help);
            }
            ("switch" | "shared", Some(value)) => {
                let help = format!("write `{name}` alone, or leave it out");
                errors.error(code::HYPER, first(&value), format!("`{name}` takes no value"), help);
            }
            _ => {
                hyper.default = hyper.default.or_else(|| unknown.clone());
                let help = match name.as_str() {
                    key if is_range(key) => {
                        "write `range = low..high`, or `range = low..=high`, `low..`, `..high`".to_owned()
                    }
                    "value" | "init" | "initial" => "did you mean `default`?".to_owned(),
                    "option" | "optional" => "write `switch`: whether it is 0 is then an option".to_owned(),
                    _ => did_you_mean(&name, HYPER_KEYS, "the keys are default, range, switch and shared"),
                };
                errors.error(code::HYPER, key.span(), format!("`{name}` is not a key of `#[hyper]`"), help);
            }
        }
        seen.push(name);
    }
    hyper
}

/// Of an attribute that cannot be read: that its default is missing would be a second error for one mistake.
pub(super) fn unknown_hyper(span: Span) -> HyperAttribute {
    let default = Some(Expr { kind: ExprKind::Error, span });
    HyperAttribute { span, default, range: None, switch: None, shared: None }
}

fn range(source: &syn::Expr, errors: &Collector) -> Option<Range> {
    let syn::Expr::Range(range) = source else {
        let help = match source {
            syn::Expr::Tuple(tuple) => {
                let bounds: Vec<String> = tuple.elems.iter().map(of_expr).collect();
                format!("write `{}`, or `..=` with the end in it", bounds.join(".."))
            }
            _ => "write `a..b`, `a..=b`, `a..`, `..b` or `..=b`".to_owned(),
        };
        errors.error(code::RANGE, first(source), "this is not a range", help);
        return None;
    };
    let bound = |value: &Option<Box<syn::Expr>>| value.as_ref().map(|value| expr(value, errors));
    Some(Range {
        span: range.limits.span(),
        start: bound(&range.start),
        end: bound(&range.end),
        end_included: matches!(range.limits, syn::RangeLimits::Closed(_)),
    })
}

/// Reads `#[require(condition, "message")]`.
pub(super) fn require(attribute: &Attribute, errors: &Collector) -> Require {
    let parsed = attribute.parse_args_with(|input: ParseStream| {
        let condition: syn::Expr = input.parse()?;
        input.parse::<Token![,]>()?;
        let message: syn::LitStr = input.parse()?;
        input.parse::<Option<Token![,]>>()?;
        Ok((condition, message))
    });
    match parsed {
        Ok((condition, message)) => {
            if message.value().trim().is_empty() {
                let help = "say what must hold: it is all that a user sees";
                errors.error(code::REQUIRE, message.span(), "the message is empty", help);
            }
            Require { condition: expr(&condition, errors), message: message.value() }
        }
        Err(error) => {
            let help = "write `#[require(condition, \"message\")]`: the message is what a user then sees";
            let message = match error.to_string() {
                message if message == "expected `,`" => "a requirement has a condition and a message".to_owned(),
                message => message,
            };
            errors.error(code::REQUIRE, error.span(), message, help);
            let condition = Expr { kind: ExprKind::Error, span: span_of(attribute) };
            Require { condition, message: String::new() }
        }
    }
}

/// Reads `#[init(number | hyper-parameter | param)]`.
pub(super) fn init(attribute: &Attribute, errors: &Collector) -> Expr {
    match attribute.parse_args::<syn::Expr>() {
        Ok(value) => expr(&value, errors),
        Err(error) => {
            let help = "write `#[init(1.0)]`, `#[init(learning_rate)]` or `#[init(param)]`";
            errors.error(code::INIT, error.span(), error.to_string(), help);
            Expr { kind: ExprKind::Error, span: span_of(attribute) }
        }
    }
}

/// Reads `#[entry]` and `#[entry(mode = eval)]`.
pub(super) fn entry(attribute: &Attribute, errors: &Collector) -> EntryAttribute {
    let mut entry = EntryAttribute { span: span_of(attribute), mode: None };
    if matches!(attribute.meta, syn::Meta::Path(_)) {
        return entry;
    }
    let help = "write `#[entry]`, `#[entry(mode = eval)]` or `#[entry(mode = train)]`";
    for Argument { key, value } in arguments(attribute, help, errors).unwrap_or_default() {
        if key != "mode" {
            errors.error(code::ENTRY, key.span(), format!("`{key}` is not a key of `#[entry]`"), help);
            continue;
        }
        match value.as_ref().map(|value| (mode(value), first(value))) {
            Some((Some(mode), _)) => entry.mode = Some(mode),
            Some((None, span)) => errors.error(code::ENTRY, span, "the modes are `eval` and `train`", help),
            None => errors.error(code::ENTRY, key.span(), "`mode` needs a value", help),
        }
    }
    entry
}

fn mode(value: &syn::Expr) -> Option<Mode> {
    match value {
        syn::Expr::Path(path) if path.path.is_ident("eval") => Some(Mode::Eval),
        syn::Expr::Path(path) if path.path.is_ident("train") => Some(Mode::Train),
        _ => None,
    }
}

/// Reads the argument of `#[gpu_optimizer(crate = path)]`.
pub(crate) fn crate_path(attribute: proc_macro2::TokenStream, errors: &Collector) -> proc_macro2::TokenStream {
    let default = quote::quote!(::optirs_gpu);
    if attribute.is_empty() {
        return default;
    }
    let parser = |input: ParseStream| {
        input.parse::<Token![crate]>()?;
        input.parse::<Token![=]>()?;
        let path = syn::Path::parse_mod_style(input)?;
        input.parse::<Option<Token![,]>>()?;
        Ok(path)
    };
    match syn::parse::Parser::parse2(parser, attribute) {
        Ok(path) => match path.segments.first().filter(|first| first.ident == "self" || first.ident == "super") {
            None => quote::quote!(#path),
            Some(first) => {
                // The expansion is several modules deep, and names it from each.
                let help = "begin with `crate::`, with `::`, or with the name of a dependency";
                errors.error(code::ATTRIBUTE, first.ident.span(), "this path is relative", help);
                default
            }
        },
        Err(error) => {
            let help = "write `#[gpu_optimizer]`, or `#[gpu_optimizer(crate = path)]` where the crate is re-exported";
            errors.error(code::ATTRIBUTE, error.span(), error.to_string(), help);
            default
        }
    }
}

/// Whether the argument is that of `#[gpu_optimizer(header)]`, which is for the programs of the runtime that decide what
/// the header of the scalars holds; no rule of a user has a use for it, and no message speaks of it.
pub(super) fn is_header(attribute: &proc_macro2::TokenStream) -> bool {
    attribute.to_string() == "header"
}

/// Whether the attribute is `#[gpu_optimizer]`, qualified or not.
pub(super) fn is_rule_attribute(attribute: &Attribute) -> bool {
    attribute.path().segments.last().is_some_and(|segment| segment.ident == "gpu_optimizer")
}
