//! Functions of the module: `update`, entries and helpers.

use proc_macro2::Ident;
use syn::spanned::Spanned;
use syn::{FnArg, ReturnType};

use super::attributes::Attributes;
use super::expr::block;
use super::items::{no_generics, private};
use super::unsupported::{first, names};
use super::{arguments, types};
use crate::ast::{Argument, ArgumentRole, Function};
use crate::error::{Collector, code};

/// Reads a function.
pub(super) fn function(source: &syn::ItemFn, errors: &Collector) -> Function {
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
        arguments: signature.inputs.iter().filter_map(|input| argument(input, &signature.generics, errors)).collect(),
        refused: signature.inputs.iter().flat_map(refused).collect(),
        result: match &signature.output {
            ReturnType::Default => None,
            ReturnType::Type(_, ty) => Some(types::ty(ty)),
        },
        body: block(&source.block, errors),
    }
}

fn argument(source: &FnArg, generics: &syn::Generics, errors: &Collector) -> Option<Argument> {
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
    let ty = types::ty(&without_lifetime(&typed.ty, generics));
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
            let help = "name it, and take it apart with `let` in the body";
            errors.error(code::UNSUPPORTED, first(other), "an argument is a name", help);
            Some(Argument { name: Ident::new("_refused", first(other)), mutable: false, ty, role })
        }
    }
}

/// The names in an argument that is refused.
fn refused(source: &FnArg) -> Vec<Ident> {
    match source {
        FnArg::Receiver(receiver) => vec![Ident::new("self", receiver.self_token.span)],
        FnArg::Typed(typed) => match &*typed.pat {
            syn::Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => Vec::new(),
            other => names(other),
        },
    }
}

/// The type without a lifetime that the function declares, which is reported there.
fn without_lifetime(source: &syn::Type, generics: &syn::Generics) -> syn::Type {
    let mut ty = source.clone();
    if let syn::Type::Reference(reference) = &mut ty {
        let declared = |lifetime: &syn::Lifetime| generics.lifetimes().any(|known| known.lifetime == *lifetime);
        reference.lifetime = reference.lifetime.take().filter(|lifetime| !declared(lifetime));
    }
    ty
}
