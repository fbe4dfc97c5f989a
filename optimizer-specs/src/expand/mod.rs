//! Expansion: the items that `#[gpu_optimizer]` puts in place of a rule.
//!
//! ```text
//! pub mod adam {
//!     pub struct AdamParams { … }           as written, with defaults and ranges in the docs
//!     pub struct Adam;                      the rule: implements `optirs_gpu::rule::Rule`
//!     pub type GpuAdam = Optimizer<Adam>;
//!     mod generated { … }                   checks, tables, host functions, CPU kernels, shaders
//! }
//! ```
//!
//! Guarantees: only absolute paths, so that the user's names and preludes do not matter; no unsafe code; the same rule
//! gives the same tokens.

mod interface;
mod operations;
mod params;
mod program;
pub(crate) mod requirement;
mod rule;
mod tables;
mod warning;

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::quote;
use syn::ext::IdentExt;

use crate::checked::Rule;
use crate::compile::{Compiled, compile};
use crate::emit::rust_cpu;
use crate::error::Diagnostic;
use crate::parse::parse_file;
use crate::standard;

/// What `#[gpu_optimizer(attribute)] item` becomes: the expansion, or the errors of the rule beside a stub of its items.
pub fn attribute(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let compiled = compile(attribute.clone(), item.clone());
    match compiled {
        Ok(compiled) => expand(&compiled),
        Err(diagnostics) => crate::stub::stub(&item, &attribute, &diagnostics),
    }
}

/// What `standard_rule!("name")` becomes.
pub fn standard(name: TokenStream) -> TokenStream {
    match standard_source(name).and_then(|source| parse_file(source).map_err(first_error)) {
        Ok(rules) => rules.into_iter().map(|(attribute, item)| self::attribute(attribute, item)).collect(),
        Err(error) => error.into_compile_error(),
    }
}

/// What `element_functions!()` becomes.
pub fn element_functions() -> TokenStream {
    tokens(&rust_cpu::functions())
}

fn standard_source(name: TokenStream) -> syn::Result<&'static str> {
    let name: syn::LitStr = syn::parse2(name)?;
    let known = || standard::ALL.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    let unknown = || syn::Error::new(name.span(), format!("no standard rule of this name; there are {}", known()));
    standard::source(&name.value()).ok_or_else(unknown)
}

fn first_error(errors: Vec<Diagnostic>) -> syn::Error {
    let message = errors.into_iter().next().map(|error| error.message);
    syn::Error::new(proc_macro2::Span::call_site(), message.unwrap_or_default())
}

/// The expansion of a compiled rule.
pub fn expand(compiled: &Compiled) -> TokenStream {
    let rule = &compiled.rule;
    let requirements = requirement::print(rule);
    let (name, visibility, attributes) = (&rule.name, &rule.visibility, &rule.attributes);
    let docs = documentation(&crate::emit::docs::module(compiled));
    let interface = interface::items(compiled);
    let params = params::implementations(rule, &requirements);
    let tables = tables::variants(compiled);
    let implementation = rule::implementation(compiled, &requirements);
    let programs = program::modules(compiled);
    let warnings = compiled.warnings.iter().map(warning::tokens);
    let crate_path = &rule.crate_path;
    // The expansion must name what its users are told not to. Of clippy's lints only those are turned off that would
    // fire: where a crate forbids a lint, an `allow` of it, or of a group that holds it, is an error.
    let deprecated = is_deprecated(rule).then(|| quote!(deprecated,));
    quote! {
        #(#attributes)*
        #docs
        #visibility mod #name {
            #interface

            #[allow(
                #deprecated clippy::float_cmp, clippy::missing_asserts_for_indexing, clippy::suboptimal_flops,
                clippy::too_many_arguments
            )]
            mod generated {
                use ::core::prelude::v1::*;
                use #crate_path::GpuOptimError;
                use #crate_path::rule::{self, check, math};

                #params
                #tables
                #implementation
                #programs
            }

            #(#warnings)*
        }
    }
}

/// Whether something that the expansion refers to is marked deprecated.
fn is_deprecated(rule: &Rule) -> bool {
    let variants = rule.enums.iter().flat_map(|item| item.variants.iter().flat_map(|(_, attributes)| attributes));
    let items = rule.params_attributes.iter().chain(rule.enums.iter().flat_map(|item| &item.attributes));
    let fields = rule.hypers.iter().flat_map(|hyper| &hyper.attributes);
    items.chain(fields).chain(variants).any(|attribute| is_called(attribute, "deprecated"))
}

/// Whether this is `#[name …]`.
fn is_called(attribute: &TokenStream, name: &str) -> bool {
    let inside = attribute.clone().into_iter().find_map(|token| match token {
        TokenTree::Group(group) => group.stream().into_iter().next(),
        _ => None,
    });
    inside.is_some_and(|first| first.to_string() == name)
}

/// Tokens of a text that the compiler itself has printed.
fn tokens(text: &str) -> TokenStream {
    text.parse().unwrap_or_else(|error: proc_macro2::LexError| {
        let message = format!("optimizer-specs printed what is no Rust ({error}): {text}");
        quote!(::core::compile_error!(#message))
    })
}

/// Documentation, one attribute a line.
fn documentation(text: &str) -> TokenStream {
    let lines = text.lines().map(|line| if line.is_empty() { String::new() } else { format!(" {line}") });
    quote!(#(#[doc = #lines])*)
}

/// What messages call something.
fn label(name: &Ident) -> String {
    name.unraw().to_string()
}

/// A real literal of any sign.
fn real(value: f64) -> TokenStream {
    tokens(&format!("{value:?}"))
}
