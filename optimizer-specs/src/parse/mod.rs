//! From tokens to the syntax tree of a rule.
//!
//! Parsing goes on after an error: what the language does not have is reported once and leaves a poisoned node, so that
//! `check` can report its own errors of the same rule along with it.

mod arguments;
mod attributes;
pub(crate) mod depth;
mod expr;
mod items;
mod literal;
mod pattern;
mod types;
mod unsupported;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};

use crate::ast::Rule;
use crate::error::{Collector, Diagnostic, code};
pub(crate) use arguments::crate_path;
use attributes::Attributes;

/// Reads a rule: `item` is the module, `attribute` the argument of `#[gpu_optimizer(…)]`.
///
/// # Errors
///
/// Where the item is not a module of Rust items at all. All other errors are in [`Rule::errors`].
pub fn parse(attribute: TokenStream, item: TokenStream) -> Result<Rule, Vec<Diagnostic>> {
    depth::check(&item)?;
    let module: syn::ItemMod = syn::parse2(item.clone()).map_err(|error| vec![not_a_module(item, error)])?;
    let Some((_, content)) = &module.content else {
        let help = format!("write `mod {} {{ … }}`: the macro sees only what stands here", module.ident);
        return Err(vec![
            Diagnostic::new(code::NOT_A_MODULE, module.ident.span(), "the module has no body").help(help),
        ]);
    };
    let errors = Collector::new();
    let crate_path = arguments::crate_path(attribute, &errors);
    let attributes = Attributes::sort(&module.attrs, &["require"], &errors);
    let requires = attributes.all("require").map(|attribute| arguments::require(attribute, &errors)).collect();
    let mut rule = Rule {
        name: module.ident.clone(),
        visibility: module.vis.to_token_stream(),
        requires,
        attributes: attributes.pass,
        crate_path,
        params: Vec::new(),
        states: Vec::new(),
        enums: Vec::new(),
        constants: Vec::new(),
        functions: Vec::new(),
        refused: Vec::new(),
        errors: Vec::new(),
    };
    if let Some(token) = module.unsafety {
        errors.error(code::UNSUPPORTED, token.span, "a rule is a plain module", "remove `unsafe`");
    }
    content.iter().for_each(|item| items::item(item, &mut rule, &errors));
    rule.errors = errors.finish();
    Ok(rule)
}

/// The rule was no module: a syntax error inside one, or another item.
fn not_a_module(item: TokenStream, error: syn::Error) -> Diagnostic {
    let tokens = item.clone();
    match syn::parse2::<syn::Item>(item) {
        Ok(other) => {
            let (span, what) = unsupported::item(&other);
            Diagnostic::new(code::NOT_A_MODULE, span, format!("`#[gpu_optimizer]` stands on a module, not on {what}"))
                .help("write `#[gpu_optimizer] pub mod name { … }`")
        }
        Err(_) => syntax(&error, tokens),
    }
}

/// What the Rust parser says. Where it misses something at the very end there is no place to point at but the last of
/// the tokens.
fn syntax(error: &syn::Error, tokens: TokenStream) -> Diagnostic {
    let span = match error.span() {
        nowhere if nowhere.start() == nowhere.end() => tokens.into_iter().last().map_or(nowhere, |token| token.span()),
        somewhere => somewhere,
    };
    let (message, help) = match error.to_string() {
        // What the tokenizer says of everything that it does not take.
        message if message.starts_with("cannot parse string") => {
            ("this is not Rust".to_owned(), "look for a bracket or quote that is not closed, or closed twice")
        }
        message => (message, "a rule is Rust syntax"),
    };
    Diagnostic::new(code::SYNTAX, span, message).help(help)
}

/// The rules of a source file: for each module under `#[gpu_optimizer]`, the attribute's argument and the module
/// without that attribute, as the macro would see them.
///
/// # Errors
///
/// Where the file is not Rust syntax, or holds no rule.
pub fn parse_file(source: &str) -> Result<Vec<(TokenStream, TokenStream)>, Vec<Diagnostic>> {
    let tokens: TokenStream = source.parse().unwrap_or_default();
    depth::check(&tokens)?;
    let file = syn::parse_file(source).map_err(|error| vec![syntax(&error, tokens)])?;
    let rules: Vec<_> = file.items.into_iter().filter_map(rule_of_item).collect();
    if rules.is_empty() {
        let message = "no item of this file stands under `#[gpu_optimizer]`";
        let help = "write `#[gpu_optimizer] pub mod name { … }`";
        return Err(vec![Diagnostic::new(code::NO_RULE, Span::call_site(), message).help(help)]);
    }
    Ok(rules)
}

fn rule_of_item(mut item: syn::Item) -> Option<(TokenStream, TokenStream)> {
    let attributes = match &mut item {
        syn::Item::Mod(item) => &mut item.attrs,
        syn::Item::Struct(item) => &mut item.attrs,
        syn::Item::Fn(item) => &mut item.attrs,
        syn::Item::Enum(item) => &mut item.attrs,
        syn::Item::Impl(item) => &mut item.attrs,
        _ => return None,
    };
    let index = attributes.iter().position(arguments::is_rule_attribute)?;
    let attribute = match attributes.remove(index).meta {
        syn::Meta::List(list) => list.tokens,
        _ => TokenStream::new(),
    };
    // `cfg` above the attribute is evaluated before the macro sees the item; inside it would be refused.
    let mut place = 0..index;
    attributes.retain(|attribute| {
        let above = place.next().is_some();
        !(above && (attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr")))
    });
    Some((attribute, quote!(#item)))
}
