//! The rules of a source file, as the macro would see them.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{Attribute, Item, Stmt};

use super::arguments::is_rule_attribute;
use super::{depth, syntax};
use crate::error::{Diagnostic, code};

/// The rules of a source file: for each module under `#[gpu_optimizer]`, also inside of other modules and of functions,
/// the attribute's argument and the module without that attribute.
///
/// # Errors
///
/// Where the file is not Rust syntax, or holds no rule.
pub fn parse_file(source: &str) -> Result<Vec<(TokenStream, TokenStream)>, Vec<Diagnostic>> {
    let tokens: TokenStream = source.parse().unwrap_or_default();
    depth::check(&tokens)?;
    let file = syn::parse_file(source).map_err(|error| vec![syntax::diagnostic(&error, tokens)])?;
    let mut rules = Vec::new();
    file.items.into_iter().for_each(|item| collect(item, &mut rules));
    if rules.is_empty() {
        let message = "no module of this file stands under `#[gpu_optimizer]`";
        let help = "write `#[gpu_optimizer] pub mod name { … }`";
        return Err(vec![Diagnostic::new(code::NO_RULE, Span::call_site(), message).help(help)]);
    }
    Ok(rules)
}

fn collect(mut item: Item, rules: &mut Vec<(TokenStream, TokenStream)>) {
    if let Some(argument) = attributes(&mut item).and_then(take_argument) {
        rules.push((argument, quote!(#item)));
        return;
    }
    match item {
        Item::Mod(item) => {
            item.content.into_iter().flat_map(|(_, items)| items).for_each(|item| collect(item, rules));
        }
        Item::Fn(item) => {
            let items = item.block.stmts.into_iter().filter_map(|statement| match statement {
                Stmt::Item(item) => Some(item),
                _ => None,
            });
            items.for_each(|item| collect(item, rules));
        }
        _ => {}
    }
}

/// The attributes of an item on which the macro may stand, rightly or not.
fn attributes(item: &mut Item) -> Option<&mut Vec<Attribute>> {
    match item {
        Item::Mod(item) => Some(&mut item.attrs),
        Item::Struct(item) => Some(&mut item.attrs),
        Item::Fn(item) => Some(&mut item.attrs),
        Item::Enum(item) => Some(&mut item.attrs),
        Item::Impl(item) => Some(&mut item.attrs),
        _ => None,
    }
}

/// Takes `#[gpu_optimizer(argument)]` out; `None` where there is none.
fn take_argument(attributes: &mut Vec<Attribute>) -> Option<TokenStream> {
    let index = attributes.iter().position(is_rule_attribute)?;
    let argument = match attributes.remove(index).meta {
        syn::Meta::List(list) => list.tokens,
        _ => TokenStream::new(),
    };
    // `cfg` above the attribute is evaluated before the macro sees the item; inside it would be refused.
    let mut place = 0..index;
    attributes.retain(|attribute| {
        let above = place.next().is_some();
        !(above && (attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr")))
    });
    Some(argument)
}
