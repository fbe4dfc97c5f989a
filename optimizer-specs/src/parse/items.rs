//! Items of the module: structs, enums, constants.

use proc_macro2::{Ident, Span};
use syn::spanned::Spanned;
use syn::{Fields, Visibility};

use super::attributes::Attributes;
use super::expr::expr;
use super::functions::function;
use super::unsupported::first;
use super::{arguments, foreign_items, types};
use crate::ast::{Constant, Enum, HyperField, Params, Rule, State, StateField};
use crate::checked::StateKind;
use crate::error::{Collector, code};

/// Reads an item into the rule.
pub(super) fn item(source: &syn::Item, rule: &mut Rule, errors: &Collector) {
    match source {
        syn::Item::Struct(item) if item.ident.to_string().ends_with("State") => rule.states.push(state(item, errors)),
        syn::Item::Struct(item) => rule.params.push(params(item, errors)),
        syn::Item::Enum(item) => rule.enums.push(enumeration(item, errors)),
        syn::Item::Const(item) => rule.constants.push(constant(item, errors)),
        syn::Item::Fn(item) => rule.functions.push(function(item, errors)),
        _ => {
            let (span, what) = foreign_items::describe(source);
            let help = foreign_items::help(source);
            errors.error(code::ITEM, span, format!("{what} cannot stand in a rule"), help);
            rule.refused.extend(foreign_items::declared(source));
        }
    }
    rule.refused.extend(generics(source).into_iter().flat_map(type_parameters));
}

/// The generics of an item that a rule may hold; they are reported where they stand.
fn generics(source: &syn::Item) -> Option<&syn::Generics> {
    match source {
        syn::Item::Struct(item) => Some(&item.generics),
        syn::Item::Enum(item) => Some(&item.generics),
        syn::Item::Const(item) => Some(&item.generics),
        syn::Item::Fn(item) => Some(&item.sig.generics),
        _ => None,
    }
}

fn type_parameters(generics: &syn::Generics) -> impl Iterator<Item = Ident> {
    generics.params.iter().filter_map(|parameter| match parameter {
        syn::GenericParam::Type(parameter) => Some(parameter.ident.clone()),
        syn::GenericParam::Const(parameter) => Some(parameter.ident.clone()),
        syn::GenericParam::Lifetime(_) => None,
    })
}

fn params(source: &syn::ItemStruct, errors: &Collector) -> Params {
    let attributes = Attributes::sort(&source.attrs, &[], errors);
    public(&source.vis, source.ident.span(), "the parameter struct", errors);
    no_generics(&source.generics, errors);
    let read = |(name, field)| hyper_field(name, field, errors);
    let fields = named_fields(source, errors).map(|fields| fields.map(read).collect());
    Params { name: source.ident.clone(), attributes: attributes.pass, fields }
}

fn hyper_field(name: &Ident, field: &syn::Field, errors: &Collector) -> HyperField {
    let attributes = Attributes::sort(&field.attrs, &["hyper"], errors);
    public(&field.vis, name.span(), "a hyper-parameter", errors);
    HyperField {
        name: name.clone(),
        ty: types::ty(&field.ty),
        hyper: match attributes.get("hyper") {
            Some(attribute) => Some(arguments::hyper(attribute, errors)),
            None => attributes.unread().map(arguments::unknown_hyper),
        },
        attributes: attributes.pass,
    }
}

/// `State`; a struct that is named `AdamState` can only be meant as that.
fn state(source: &syn::ItemStruct, errors: &Collector) -> State {
    if source.ident != "State" {
        let message = format!("the struct of states is named `State`, not `{}`", source.ident);
        errors.error(code::STATE, source.ident.span(), message, "rename it to `State`");
    }
    Attributes::sort(&source.attrs, &[], errors);
    public(&source.vis, source.ident.span(), "the state struct", errors);
    no_generics(&source.generics, errors);
    let read = |(name, field)| state_field(name, field, errors);
    State { name: source.ident.clone(), fields: named_fields(source, errors).map(|fields| fields.map(read).collect()) }
}

fn state_field(name: &Ident, field: &syn::Field, errors: &Collector) -> StateField {
    let attributes = Attributes::sort(&field.attrs, &["tensor", "all", "host", "init", "keep"], errors);
    StateField {
        name: name.clone(),
        ty: types::ty(&field.ty),
        kind: state_kind(&attributes, errors),
        init: attributes.get("init").map(|attribute| arguments::init(attribute, errors)),
        keep: attributes.word("keep", errors).is_some(),
        attributes: attributes.pass,
    }
}

fn state_kind(attributes: &Attributes, errors: &Collector) -> StateKind {
    let kinds = [("tensor", StateKind::Tensor), ("all", StateKind::All), ("host", StateKind::Host)];
    let mut found = None;
    for (word, kind) in kinds {
        let Some(span) = attributes.word(word, errors) else { continue };
        if let Some((other, _)) = found {
            let message = format!("a state cannot be both `#[{other}]` and `#[{word}]`");
            errors.error(code::STATE_KIND, span, message, "keep the one that says where the state lives");
        } else {
            found = Some((word, kind));
        }
    }
    found.map_or(StateKind::Element, |(_, kind)| kind)
}

fn enumeration(source: &syn::ItemEnum, errors: &Collector) -> Enum {
    let attributes = Attributes::sort(&source.attrs, &[], errors);
    public(&source.vis, source.ident.span(), "an enum", errors);
    no_generics(&source.generics, errors);
    let mut variants = Vec::new();
    for variant in &source.variants {
        if !matches!(variant.fields, Fields::Unit) {
            let help = format!("write `{}` alone, and put the value into a hyper-parameter", variant.ident);
            errors.error(code::ENUM, first(&variant.fields), "a variant of a rule's enum has no fields", help);
        }
        if let Some((token, _)) = &variant.discriminant {
            errors.error(code::ENUM, token.span(), "a variant of a rule's enum has no number", "remove it");
        }
        variants.push((variant.ident.clone(), Attributes::sort(&variant.attrs, &[], errors).pass));
    }
    if variants.is_empty() {
        errors.error(code::ENUM, source.ident.span(), "an enum without variants has no value", "add a variant");
    }
    Enum { name: source.ident.clone(), attributes: attributes.pass, variants }
}

fn constant(source: &syn::ItemConst, errors: &Collector) -> Constant {
    Attributes::sort(&source.attrs, &[], errors);
    private(&source.vis, "constants", errors);
    no_generics(&source.generics, errors);
    Constant { name: source.ident.clone(), ty: types::ty(&source.ty), value: expr(&source.expr, errors) }
}

/// The fields with their names; `None` where they have none, and that is reported.
fn named_fields<'a>(
    source: &'a syn::ItemStruct,
    errors: &'a Collector,
) -> Option<impl Iterator<Item = (&'a Ident, &'a syn::Field)> + use<'a>> {
    let Fields::Named(fields) = &source.fields else {
        let name = &source.ident;
        let help = format!("write `pub struct {name} {{ name: type, … }}`");
        errors.error(code::STRUCT, name.span(), format!("`{name}` needs named fields"), help);
        return None;
    };
    Some(fields.named.iter().filter_map(|field| {
        let name = field.ident.as_ref()?;
        if name == "_" {
            errors.error(code::STRUCT, name.span(), "a field needs a name", "write one, or remove the field");
            return None;
        }
        Some((name, field))
    }))
}

fn public(visibility: &Visibility, span: Span, what: &str, errors: &Collector) {
    if !matches!(visibility, Visibility::Public(_)) {
        errors.error(
            code::VISIBILITY,
            span,
            format!("{what} must be `pub`: users of the optimizer name it"),
            "write `pub` before it",
        );
    }
}

pub(super) fn private(visibility: &Visibility, what: &str, errors: &Collector) {
    if !matches!(visibility, Visibility::Inherited) {
        let help = "remove the visibility: what users call is generated";
        errors.error(code::VISIBILITY, first(visibility), format!("{what} of a rule are private"), help);
    }
}

pub(super) fn no_generics(generics: &syn::Generics, errors: &Collector) {
    let spans = [
        generics.lt_token.map(|token| token.span()),
        generics.where_clause.as_ref().map(|clause| clause.where_token.span),
    ];
    if let Some(span) = spans.into_iter().flatten().next() {
        errors.error(
            code::UNSUPPORTED,
            span,
            "generics and lifetimes are not part of the language",
            "remove them; numbers are `f32`",
        );
    }
}
