//! Items of Rust that a rule cannot hold: what they are called, what to write instead, which names they would declare.

use proc_macro2::{Ident, Span};
use syn::Item;

use super::unsupported::{first, names};

/// What a rule holds.
const HOLDS: &str = "a rule holds one `pub struct …Params`, at most one `pub struct State`, enums, constants and \
                     functions; put other items outside of the module";

/// What to write instead of an item that a rule cannot hold.
pub(super) fn help(source: &Item) -> &'static str {
    match source {
        Item::Use(_) => "remove it: the language needs no `use`, and a rule sees nothing from outside of its module",
        Item::Static(_) => "write `const`",
        Item::Type(_) => "write the type itself where it is used",
        Item::Impl(_) | Item::Trait(_) => "write plain functions in the module; the optimizer's methods are generated",
        _ => HOLDS,
    }
}

/// The names that the item would declare.
pub(super) fn declared(source: &Item) -> Vec<Ident> {
    match source {
        Item::Const(item) => vec![item.ident.clone()],
        Item::Enum(item) => vec![item.ident.clone()],
        Item::Fn(item) => vec![item.sig.ident.clone()],
        Item::Mod(item) => vec![item.ident.clone()],
        Item::Static(item) => vec![item.ident.clone()],
        Item::Struct(item) => vec![item.ident.clone()],
        Item::Trait(item) => vec![item.ident.clone()],
        Item::Type(item) => vec![item.ident.clone()],
        Item::Union(item) => vec![item.ident.clone()],
        Item::Use(item) => names(&item.tree),
        _ => Vec::new(),
    }
}

/// Where an item starts, and what it is called.
pub(super) fn describe(source: &Item) -> (Span, &'static str) {
    match source {
        Item::Const(item) => (item.const_token.span, "a constant"),
        Item::Enum(item) => (item.enum_token.span, "an enum"),
        Item::ExternCrate(item) => (item.extern_token.span, "`extern crate`"),
        Item::Fn(item) => (item.sig.fn_token.span, "a function"),
        Item::ForeignMod(item) => (item.abi.extern_token.span, "an `extern` block"),
        Item::Impl(item) => (item.impl_token.span, "an `impl`"),
        Item::Macro(item) => (first(&item.mac.path), "a macro"),
        Item::Mod(item) => (item.mod_token.span, "a module"),
        Item::Static(item) => (item.static_token.span, "a `static`"),
        Item::Struct(item) => (item.struct_token.span, "a struct"),
        Item::Trait(item) => (item.trait_token.span, "a trait"),
        Item::Type(item) => (item.type_token.span, "a type alias"),
        Item::Union(item) => (item.union_token.span, "a union"),
        Item::Use(item) => (item.use_token.span, "`use`"),
        _ => (first(source), "this item"),
    }
}
