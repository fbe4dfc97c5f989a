//! Expressions of Rust that the language does not have: what they are called, and what to write instead.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{BinOp, Expr};

use super::text::{compact, of_expr};
use crate::error::{Collector, Diagnostic, code};

/// What is to be said of an expression that is not part of the language.
pub(super) fn diagnostic(source: &Expr) -> Diagnostic {
    let refuse = |message: String, help: String| Diagnostic::new(code::UNSUPPORTED, span(source), message).help(help);
    match source {
        Expr::Macro(source) => of_macro(&source.mac),
        Expr::Closure(_) => refuse(CLOSURES.to_owned(), "write a helper function in the module".to_owned()),
        Expr::Binary(value) => {
            let (operator, help) = (compact(&value.op), binary(value));
            refuse(format!("`{operator}` is not an operator of the language"), help)
        }
        Expr::Reference(value) => {
            let inner = of_expr(&value.expr);
            let help = format!("write `{inner}`: `hyper` and `state` are passed by name, everything else by value");
            refuse("taking a reference is not part of the language".to_owned(), help)
        }
        Expr::Struct(value) if value.path.is_ident("State") => {
            let help = "assign its fields one by one: `state.field = …;`".to_owned();
            refuse("struct values are not part of the language".to_owned(), help)
        }
        _ => {
            let (what, help) = describe(source);
            refuse(format!("{what} not part of the language"), help.to_owned())
        }
    }
}

/// Reports a macro call that is a statement.
pub(super) fn report_macro(source: &syn::Macro, errors: &Collector) {
    errors.push(of_macro(source));
}

fn of_macro(source: &syn::Macro) -> Diagnostic {
    let name = source.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
    let help = match name.as_str() {
        "assert" | "assert_eq" | "assert_ne" | "debug_assert" => {
            "what must hold of hyper-parameters is `#[require(condition, \"message\")]` above the module"
        }
        "print" | "println" | "eprint" | "eprintln" | "dbg" | "format" => {
            "a rule prints nothing: mark a state `#[keep]`, and read it from outside"
        }
        _ => "write the statements themselves, or a helper function",
    };
    Diagnostic::new(code::UNSUPPORTED, first(&source.path), "macros are not part of the language").help(help)
}

fn binary(source: &syn::ExprBinary) -> String {
    let (left, right) = (&source.left, of_expr(&source.right));
    if let (BinOp::BitAnd(_), Some(modulus)) = (source.op, modulus(&source.right)) {
        return format!("for the remainder of a whole number write `{} % {modulus}`", receiver(left));
    }
    let is_number = matches!(&*source.right, Expr::Lit(right) if !matches!(right.lit, syn::Lit::Bool(_)));
    match source.op {
        BinOp::BitXor(_) => format!("for a power write `{}.powi({right})`", receiver(left)),
        BinOp::BitAnd(_) if !is_number => format!("for truth values write `{} && {right}`", of_expr(left)),
        BinOp::BitOr(_) if !is_number => format!("for truth values write `{} || {right}`", of_expr(left)),
        BinOp::RemAssign(_) => format!("write `{0} = {0} % {right}`", of_expr(left)),
        _ => "the operators are `+ - * / %`, comparisons, `&& || !`, and `= += -= *= /=`".to_owned(),
    }
}

/// What a whole number is divided by for the remainder that this mask of its last bits leaves.
fn modulus(mask: &Expr) -> Option<u64> {
    let Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(mask), .. }) = mask else { return None };
    let modulus = mask.base10_parse::<u64>().ok()?.checked_add(1)?;
    (modulus > 1 && modulus.is_power_of_two()).then_some(modulus)
}

/// An expression as it stands before a method.
fn receiver(source: &Expr) -> String {
    match source {
        Expr::Binary(_) | Expr::Unary(_) | Expr::Cast(_) => format!("({})", of_expr(source)),
        _ => of_expr(source),
    }
}

/// What is said of closures.
pub(crate) const CLOSURES: &str = "closures are not part of the language";

const NO_LOOPS: &str = "a rule is straight-line code for one element; a reduction (`sum(x)`, `max(x)`, …) runs over \
                        the elements";
const NO_RETURN: &str = "`update` and entries assign to `*param` and `state`; in a helper function the value is the \
                         last line";
const VALUES: &str = "values are numbers, bools, options, enums of the module, and tuples of them";

fn describe(source: &Expr) -> (&'static str, &'static str) {
    match source {
        Expr::ForLoop(_) | Expr::While(_) | Expr::Loop(_) => ("loops are", NO_LOOPS),
        Expr::Break(_) | Expr::Continue(_) => ("`break` and `continue` are", NO_LOOPS),
        Expr::Return(_) => ("`return` is", NO_RETURN),
        Expr::Try(_) | Expr::TryBlock(_) => ("`?` is", "use `option.unwrap_or(value)` or `if let Some(x) = option`"),
        Expr::Unsafe(_) => ("`unsafe` is", "nothing in a rule needs it: write the block without it"),
        Expr::Async(_) | Expr::Await(_) => ("`async` is", "a rule computes; it does not wait"),
        Expr::RawAddr(_) => ("taking an address is", "everything is passed by name or by value"),
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
        Expr::Call(_) => ("calling a value is", "call a function by its name, without type arguments"),
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
        Expr::Let(value) => value.let_token.span(),
        _ => first(source),
    }
}

/// The first token: what the compiler underlines of several.
pub(super) fn first(source: &impl ToTokens) -> Span {
    source.to_token_stream().into_iter().next().map_or_else(|| source.span(), |token| token.span())
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
