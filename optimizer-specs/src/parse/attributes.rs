//! Sorts attributes: those that pass through to the generated items, those of the language, and those refused.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::spanned::Spanned;
use syn::{Attribute, Meta};

use crate::error::{Collector, code};
use crate::nearest::nearest;

/// Attributes that are copied to the generated item.
const PASS_THROUGH: [&str; 8] = ["doc", "allow", "expect", "warn", "deny", "deprecated", "must_use", "rustfmt::skip"];

/// Attributes of the language, with the place where each belongs.
const LANGUAGE: [(&str, &str); 10] = [
    ("require", "the module"),
    ("hyper", "a field of the parameter struct"),
    ("tensor", "a field of `State`"),
    ("all", "a field of `State`"),
    ("host", "a field of `State`"),
    ("init", "a field of `State`"),
    ("keep", "a field of `State`"),
    ("entry", "a function"),
    ("input", "an argument of `update` or an entry"),
    ("scalar", "an argument of `update` or an entry"),
];

/// What people write who mean an attribute of the language.
const MEANT: [(&str, &str); 12] = [
    ("per_tensor", "tensor"),
    ("tensorwise", "tensor"),
    ("global", "all"),
    ("per_optimizer", "all"),
    ("cpu", "host"),
    ("initial", "init"),
    ("start", "init"),
    ("persistent", "keep"),
    ("param", "hyper"),
    ("hyperparameter", "hyper"),
    ("kernel", "entry"),
    ("constraint", "require"),
];

/// The attributes of one item, sorted.
pub(super) struct Attributes {
    /// Those that pass through, as outer attributes.
    pub pass: Vec<TokenStream>,
    own: Vec<(String, Attribute)>,
    /// Where an attribute stands that cannot be read, and may be one that is missed otherwise.
    unread: Option<Span>,
}

impl Attributes {
    /// Sorts attributes; `own` are the attributes of the language that this item may carry. A misspelt one is reported
    /// and taken for what is meant.
    pub fn sort(attributes: &[Attribute], own: &[&str], errors: &Collector) -> Self {
        let mut sorted = Self { pass: Vec::new(), own: Vec::new(), unread: None };
        for attribute in attributes {
            let name = name_of(attribute);
            if PASS_THROUGH.contains(&name.as_str()) {
                let meta = &attribute.meta;
                sorted.pass.push(quote!(#[#meta]));
            } else if own.contains(&name.as_str()) {
                sorted.add(name, attribute, errors);
            } else if let Some(meant) = meant(&name, own) {
                let message = format!("no attribute `{name}` in the language");
                errors.error(code::ATTRIBUTE, span_of(attribute), message, format!("did you mean `#[{meant}]`?"));
                sorted.add(meant.to_owned(), attribute, errors);
            } else {
                refuse(&name, span_of(attribute), own, errors);
                sorted.unread = sorted.unread.or((name == "default").then(|| span_of(attribute)));
            }
        }
        sorted
    }

    fn add(&mut self, name: String, attribute: &Attribute, errors: &Collector) {
        if name != "require" && self.own.iter().any(|(other, _)| *other == name) {
            let message = format!("`#[{name}]` stands here twice");
            errors.error(code::ATTRIBUTE, span_of(attribute), message, "remove one of them");
        } else {
            self.own.push((name, attribute.clone()));
        }
    }

    /// The attribute of that name, if it is here.
    pub fn get(&self, name: &str) -> Option<&Attribute> {
        self.own.iter().find(|(own, _)| own == name).map(|(_, attribute)| attribute)
    }

    /// All attributes of that name.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Attribute> {
        self.own.iter().filter(move |(own, _)| own == name).map(|(_, attribute)| attribute)
    }

    /// Where an attribute stands that is reported, and says in its own way what another one should say.
    pub fn unread(&self) -> Option<Span> {
        self.unread
    }

    /// Whether a plain word, `#[keep]`, is here. Arguments are an error.
    pub fn word(&self, name: &str, errors: &Collector) -> Option<Span> {
        let attribute = self.get(name)?;
        if !matches!(attribute.meta, Meta::Path(_)) {
            let message = format!("`#[{name}]` takes no arguments");
            errors.error(code::ATTRIBUTE, span_of(attribute), message, format!("write `#[{name}]`"));
        }
        Some(span_of(attribute))
    }
}

/// The attribute of the item that a name probably stands for.
fn meant<'a>(name: &str, own: &[&'a str]) -> Option<&'a str> {
    // One that stands in the wrong place is known well.
    if LANGUAGE.iter().any(|(known, _)| *known == name) {
        return None;
    }
    let lower = name.to_lowercase();
    let known = MEANT.iter().find(|(written, _)| *written == lower).map(|(_, meant)| *meant);
    let own = own.iter().copied();
    own.clone().find(|own| known == Some(*own)).or_else(|| nearest(name, own))
}

/// Refuses every attribute, where none can stand: on statements, expressions, arms.
pub(super) fn refuse_all(attributes: &[Attribute], errors: &Collector) {
    for attribute in attributes {
        refuse(&name_of(attribute), span_of(attribute), &[], errors);
    }
}

/// The token that errors about an attribute point at: its name.
pub(super) fn span_of(attribute: &Attribute) -> Span {
    attribute.path().segments.last().map_or_else(|| attribute.span(), |segment| segment.ident.span())
}

fn name_of(attribute: &Attribute) -> String {
    let segments: Vec<String> = attribute.path().segments.iter().map(|segment| segment.ident.to_string()).collect();
    segments.join("::")
}

fn refuse(name: &str, span: Span, own: &[&str], errors: &Collector) {
    let place = LANGUAGE.iter().find(|(own, _)| *own == name).map(|(_, place)| place);
    let (message, help) = match (name, place) {
        (_, Some(place)) => (format!("`#[{name}]` does not belong here"), format!("`#[{name}]` stands on {place}")),
        ("cfg" | "cfg_attr", _) => (
            format!("`{name}` inside a rule would be seen unevaluated"),
            format!("put `#[{name}(…)]` above `#[gpu_optimizer]`"),
        ),
        (name, _) if PASS_THROUGH.contains(&name) => (
            format!("attribute `{name}` cannot stand inside a function"),
            "put it on the module: what a rule generates is not its functions".to_owned(),
        ),
        ("derive", _) => (
            "`derive` cannot stand in a rule".to_owned(),
            "remove it: Clone, Copy, Debug, PartialEq and Default are generated".to_owned(),
        ),
        ("default", _) => {
            let value = if own.contains(&"hyper") { "1.0" } else { "Enum::Variant" };
            let help = format!("the default stands at the hyper-parameter: `#[hyper(default = {value})]`");
            ("`#[default]` is not part of the language".to_owned(), help)
        }
        _ => {
            let own: String = own.iter().map(|own| format!("`#[{own}]`, ")).collect();
            let pass = PASS_THROUGH.join(", ");
            let help = format!("here may stand {own}{pass}; an attribute macro may stand above `#[gpu_optimizer]`");
            (format!("attribute `{name}` cannot stand here"), help)
        }
    };
    errors.error(code::ATTRIBUTE, span, message, help);
}
