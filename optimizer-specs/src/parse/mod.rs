//! From tokens to the syntax tree of a rule.
//!
//! Parsing goes on after an error: what the language does not have is reported once and leaves a poisoned node, so that
//! `check` can report its own errors of the same rule along with it.

mod arguments;
mod attributes;
pub(crate) mod depth;
mod expr;
mod foreign_items;
mod functions;
mod items;
mod literal;
mod pattern;
mod source_file;
mod syntax;
mod text;
pub(crate) mod types;
pub(crate) mod unsupported;

use proc_macro2::TokenStream;
use quote::ToTokens;

use crate::ast::Rule;
use crate::error::{Collector, Diagnostic, code};
pub(crate) use arguments::crate_path;
use attributes::Attributes;
pub use source_file::parse_file;

/// Reads a rule: `item` is the module, `attribute` the argument of `#[gpu_optimizer(…)]`.
///
/// # Errors
///
/// Where the item is not a module of Rust items at all. All other errors are in [`Rule::errors`].
pub fn parse(attribute: TokenStream, item: TokenStream) -> Result<Rule, Vec<Diagnostic>> {
    depth::check(&item)?;
    let module: syn::ItemMod = syn::parse2(item.clone()).map_err(|error| vec![not_a_module(item.clone(), error)])?;
    let Some((_, content)) = &module.content else {
        let help = format!("write `mod {} {{ … }}`: the macro sees only what stands here", module.ident);
        return Err(vec![
            Diagnostic::new(code::NOT_A_MODULE, module.ident.span(), "the module has no body").help(help),
        ]);
    };
    let errors = Collector::new();
    let is_header = arguments::is_header(&attribute);
    let crate_path = if is_header { crate_path(TokenStream::new(), &errors) } else { crate_path(attribute, &errors) };
    let attributes = Attributes::sort(&module.attrs, &["require"], &errors);
    let requires = attributes.all("require").map(|attribute| arguments::require(attribute, &errors)).collect();
    let mut rule = Rule {
        name: module.ident.clone(),
        visibility: module.vis.to_token_stream(),
        requires,
        attributes: attributes.pass,
        crate_path,
        is_header,
        params: Vec::new(),
        states: Vec::new(),
        enums: Vec::new(),
        constants: Vec::new(),
        functions: Vec::new(),
        refused: Vec::new(),
        errors: Vec::new(),
    };
    if let Some(word) = syntax::word_of_edition_2024(item) {
        let message = format!("`{word}` is a word of Rust from edition 2024 on");
        errors.error(code::SYNTAX, word.span(), message, syntax::other_name(&word));
    }
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
            let (span, what) = foreign_items::describe(&other);
            Diagnostic::new(code::NOT_A_MODULE, span, format!("`#[gpu_optimizer]` stands on a module, not on {what}"))
                .help("write `#[gpu_optimizer] pub mod name { … }`")
        }
        Err(_) => syntax::diagnostic(&error, tokens),
    }
}
