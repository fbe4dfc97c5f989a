//! Items of the module: structs, enums, constants, functions.

use proc_macro2::{Ident, Span};
use syn::spanned::Spanned;
use syn::{Fields, FnArg, ReturnType, Visibility};

use super::attributes::Attributes;
use super::expr::{block, expr};
use super::{arguments, types, unsupported};
use crate::ast::{
    Argument, ArgumentRole, Constant, Enum, Function, HyperField, Params, Rule, State, StateField, Type, TypeKind,
};
use crate::checked::StateKind;
use crate::error::{Collector, code};

/// Reads an item into the rule.
pub(super) fn item(source: &syn::Item, rule: &mut Rule, errors: &Collector) {
    match source {
        syn::Item::Struct(item) if item.ident == "State" => rule.states.push(state(item, errors)),
        syn::Item::Struct(item) => rule.params.push(params(item, errors)),
        syn::Item::Enum(item) => rule.enums.push(enumeration(item, errors)),
        syn::Item::Const(item) => rule.constants.push(constant(item, errors)),
        syn::Item::Fn(item) => rule.functions.push(function(item, errors)),
        _ => {
            let (span, what) = unsupported::item(source);
            let help = "a rule holds one `pub struct …Params`, at most one `pub struct State`, enums, constants and \
                        functions; put other items outside of the module";
            errors.error(code::ITEM, span, format!("{what} cannot stand in a rule"), help);
            rule.refused.extend(unsupported::item_names(source));
        }
    }
    let parameters = generics(source).into_iter().flat_map(|generics| &generics.params);
    rule.refused.extend(parameters.filter_map(|parameter| match parameter {
        syn::GenericParam::Type(parameter) => Some(parameter.ident.clone()),
        syn::GenericParam::Const(parameter) => Some(parameter.ident.clone()),
        syn::GenericParam::Lifetime(_) => None,
    }));
}

/// The type parameters of an item that a rule may hold; they are reported where they stand.
fn generics(source: &syn::Item) -> Option<&syn::Generics> {
    match source {
        syn::Item::Struct(item) => Some(&item.generics),
        syn::Item::Enum(item) => Some(&item.generics),
        syn::Item::Const(item) => Some(&item.generics),
        syn::Item::Fn(item) => Some(&item.sig.generics),
        _ => None,
    }
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
        ty: types::ty(&field.ty, errors),
        hyper: attributes.get("hyper").map(|attribute| arguments::hyper(attribute, errors)),
        attributes: attributes.pass,
    }
}

fn state(source: &syn::ItemStruct, errors: &Collector) -> State {
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
        ty: types::ty(&field.ty, errors),
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
            errors.error(code::ENUM, variant.fields.span(), "a variant of a rule's enum has no fields", help);
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
    Constant { name: source.ident.clone(), ty: types::ty(&source.ty, errors), value: expr(&source.expr, errors) }
}

fn function(source: &syn::ItemFn, errors: &Collector) -> Function {
    let attributes = Attributes::sort(&source.attrs, &["entry"], errors);
    private(&source.vis, "functions", errors);
    let signature = &source.sig;
    no_generics(&signature.generics, errors);
    let modifiers = [
        signature.constness.map(|token| token.span()),
        signature.asyncness.map(|token| token.span()),
        signature.abi.as_ref().map(|abi| abi.extern_token.span()),
        signature.variadic.as_ref().map(|variadic| variadic.dots.span()),
        (!matches!(signature.safety, syn::Safety::Default)).then(|| signature.safety.span()),
    ];
    for span in modifiers.into_iter().flatten() {
        errors.error(code::UNSUPPORTED, span, "a function of a rule is a plain `fn`", "remove this word");
    }
    Function {
        name: signature.ident.clone(),
        entry: attributes.get("entry").map(|attribute| arguments::entry(attribute, errors)),
        attributes: attributes.pass,
        arguments: signature.inputs.iter().filter_map(|input| argument(input, errors)).collect(),
        result: match &signature.output {
            ReturnType::Default => None,
            ReturnType::Type(_, ty) => Some(types::ty(ty, errors)),
        },
        body: block(&source.block, errors),
    }
}

fn argument(source: &FnArg, errors: &Collector) -> Option<Argument> {
    let typed = match source {
        FnArg::Typed(typed) => typed,
        FnArg::Receiver(receiver) => {
            let help = "name the arguments: `state: &mut State`, `hyper: &…Params`";
            errors.error(code::UNSUPPORTED, receiver.self_token.span(), "a rule has no `self`", help);
            return None;
        }
    };
    let attributes = Attributes::sort(&typed.attrs, &["input", "scalar"], errors);
    let role = match (attributes.word("input", errors), attributes.word("scalar", errors)) {
        (Some(_), Some(span)) => {
            let help = "`#[input]` is one value per element, `#[scalar]` one per step";
            errors.error(code::ATTRIBUTE, span, "an argument cannot be both `#[input]` and `#[scalar]`", help);
            ArgumentRole::Input
        }
        (Some(_), None) => ArgumentRole::Input,
        (None, Some(_)) => ArgumentRole::Scalar,
        (None, None) => ArgumentRole::Plain,
    };
    let ty: Type = types::ty(&typed.ty, errors);
    match &*typed.pat {
        syn::Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => {
            Some(Argument { name: name.ident.clone(), mutable: name.mutability.is_some(), ty, role })
        }
        // An argument that is left unused under the name `_`: it keeps its place for the calls.
        syn::Pat::Wild(wild) => {
            let name = Ident::new("_unused", wild.span());
            Some(Argument { name, mutable: false, ty, role })
        }
        other => {
            errors.error(
                code::UNSUPPORTED,
                other.span(),
                "an argument is a name",
                "take it apart with `let` in the body",
            );
            let name = Ident::new("_unused", other.span());
            Some(Argument { name, mutable: false, ty: Type { kind: TypeKind::Error, span: ty.span }, role })
        }
    }
}

/// The fields with their names; `None` where they have none, and that is reported.
fn named_fields<'a>(
    source: &'a syn::ItemStruct,
    errors: &Collector,
) -> Option<impl Iterator<Item = (&'a Ident, &'a syn::Field)> + use<'a>> {
    let Fields::Named(fields) = &source.fields else {
        let name = &source.ident;
        let help = format!("write `pub struct {name} {{ name: type, … }}`");
        errors.error(code::STRUCT, name.span(), format!("`{name}` needs named fields"), help);
        return None;
    };
    Some(fields.named.iter().filter_map(|field| Some((field.ident.as_ref()?, field))))
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

fn private(visibility: &Visibility, what: &str, errors: &Collector) {
    if !matches!(visibility, Visibility::Inherited) {
        let help = "remove the visibility: what users call is generated";
        errors.error(code::VISIBILITY, visibility.span(), format!("{what} of a rule are private"), help);
    }
}

fn no_generics(generics: &syn::Generics, errors: &Collector) {
    let spans =
        [generics.lt_token.map(|token| token.span()), generics.where_clause.as_ref().map(|clause| clause.span())];
    if let Some(span) = spans.into_iter().flatten().next() {
        errors.error(
            code::UNSUPPORTED,
            span,
            "generics and lifetimes are not part of the language",
            "remove them; numbers are `f32`",
        );
    }
}
