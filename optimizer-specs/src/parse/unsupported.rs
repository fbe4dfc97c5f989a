//! Rust syntax that the language does not have: what it is called, and what to write instead.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Expr, Item};

use crate::error::{Collector, code};

/// Reports an expression that is not part of the language.
pub(super) fn report(source: &Expr, errors: &Collector) {
    if let Expr::Macro(source) = source {
        return report_macro(&source.mac, errors);
    }
    let (what, help) = describe(source);
    errors.error(code::UNSUPPORTED, span(source), format!("{what} not part of the language"), help);
}

/// Reports a macro call.
pub(super) fn report_macro(source: &syn::Macro, errors: &Collector) {
    let help = "write the statements themselves, or a helper function";
    errors.error(code::UNSUPPORTED, source.path.span(), "macros are not part of the language", help);
}

const NO_LOOPS: &str = "a rule is straight-line code for one element; a reduction (`sum(x)`, `max(x)`, …) runs over \
                        the elements";
const NO_RETURN: &str = "let the value be the last expression, and choose with `if`/`else`";
const VALUES: &str = "values are numbers, bools, options, enums of the module, and tuples of them";

fn describe(source: &Expr) -> (&'static str, &'static str) {
    match source {
        Expr::ForLoop(_) | Expr::While(_) | Expr::Loop(_) => ("loops are", NO_LOOPS),
        Expr::Break(_) | Expr::Continue(_) => ("`break` and `continue` are", NO_LOOPS),
        Expr::Closure(_) => ("closures are", "write a helper function in the module"),
        Expr::Return(_) => ("`return` is", NO_RETURN),
        Expr::Try(_) | Expr::TryBlock(_) => ("`?` is", "use `option.unwrap_or(value)` or `if let Some(x) = option`"),
        Expr::Unsafe(_) => ("`unsafe` is", "nothing in a rule needs it: write the block without it"),
        Expr::Async(_) | Expr::Await(_) => ("`async` is", "a rule computes; it does not wait"),
        Expr::Reference(_) | Expr::RawAddr(_) => {
            ("taking a reference is", "pass `hyper` and `state` to helpers by name, and everything else by value")
        }
        Expr::Index(_) => {
            ("indexing is", "a rule sees one element at a time; write a reduction for what runs over the tensor")
        }
        Expr::Array(_) | Expr::Repeat(_) => ("arrays are", VALUES),
        Expr::Struct(_) => ("struct values are", VALUES),
        Expr::Range(_) => {
            ("ranges are", "they stand only in `#[hyper(range = a..b)]`; use `x.clamp(low, high)` or comparisons")
        }
        Expr::Let(_) => ("`let` inside a condition is", "write `if let Some(x) = option { if condition { … } }`"),
        Expr::Block(_) => ("labels are", "remove the label"),
        Expr::Const(_) => ("`const` blocks are", "write a `const` in the module"),
        Expr::Infer(_) => ("`_` as a value is", "write `let _ = value;` to leave a value unused"),
        Expr::Field(_) => ("access by position is", "take a tuple apart with `let (a, b) = …;`"),
        Expr::Unary(_) | Expr::Binary(_) => {
            ("this operator is", "the operators are `+ - * / %`, comparisons, `&& || !`")
        }
        Expr::Call(_) => ("calling a value is", "call a function by its name"),
        Expr::Path(_) => ("this path is", "name a variable, a constant, a function or `Enum::Variant` of the module"),
        _ => ("this expression is", VALUES),
    }
}

/// The token that an error about the expression points at.
pub(super) fn span(source: &Expr) -> Span {
    match source {
        Expr::Binary(value) => value.op.span(),
        Expr::Index(value) => value.bracket_token.span.open(),
        Expr::Try(value) => value.question_token.span(),
        Expr::Await(value) => value.await_token.span(),
        Expr::Range(value) => value.limits.span(),
        Expr::Field(value) => value.member.span(),
        Expr::Struct(value) => value.path.span(),
        Expr::Unsafe(value) => value.unsafe_token.span(),
        Expr::ForLoop(value) => value.for_token.span(),
        Expr::While(value) => value.while_token.span(),
        Expr::Loop(value) => value.loop_token.span(),
        Expr::Closure(value) => value.inputs_begin.span(),
        Expr::Return(value) => value.return_token.span(),
        Expr::Let(value) => value.let_token.span(),
        Expr::Reference(value) => value.and_token.span(),
        _ => source.span(),
    }
}

/// All names in something refused: those that it would declare are among them.
pub(super) fn names(source: &impl ToTokens) -> Vec<Ident> {
    fn collect(tokens: TokenStream, names: &mut Vec<Ident>) {
        for token in tokens {
            match token {
                TokenTree::Ident(name) => names.push(name),
                TokenTree::Group(group) => collect(group.stream(), names),
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }
    let mut names = Vec::new();
    collect(source.to_token_stream(), &mut names);
    names
}

/// The names that a refused item would declare.
pub(super) fn item_names(source: &Item) -> Vec<Ident> {
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
pub(super) fn item(source: &Item) -> (Span, &'static str) {
    match source {
        Item::Const(item) => (item.const_token.span(), "a constant"),
        Item::Enum(item) => (item.enum_token.span(), "an enum"),
        Item::ExternCrate(item) => (item.extern_token.span(), "`extern crate`"),
        Item::Fn(item) => (item.sig.fn_token.span(), "a function"),
        Item::ForeignMod(item) => (item.abi.extern_token.span(), "an `extern` block"),
        Item::Impl(item) => (item.impl_token.span(), "an `impl`"),
        Item::Macro(item) => (item.mac.path.span(), "a macro"),
        Item::Mod(item) => (item.mod_token.span(), "a module"),
        Item::Static(item) => (item.static_token.span(), "a `static`"),
        Item::Struct(item) => (item.struct_token.span(), "a struct"),
        Item::Trait(item) => (item.trait_token.span(), "a trait"),
        Item::Type(item) => (item.type_token.span(), "a type alias"),
        Item::Union(item) => (item.union_token.span(), "a union"),
        Item::Use(item) => (item.use_token.span(), "`use`"),
        _ => (source.span(), "this item"),
    }
}
