//! Rules with tokens deleted, repeated, exchanged and inserted.

use std::mem::discriminant;

use proc_macro2::{Group, TokenStream, TokenTree};

/// Where decisions come from: numbers that are the same on every run, or the bytes of a fuzzer.
pub trait Choices {
    /// A number below `end`; 0 where there is none.
    fn below(&mut self, end: usize) -> usize;
}

/// What is put into rules: syntax of the language in places where it may not be right, and Rust's beyond it.
const FRAGMENTS: &[&str] = &[
    "",
    "0",
    "1",
    "0.0",
    "1e-3",
    "1e38",
    "-1.0",
    "4294967295",
    "1f32",
    "1f64",
    "true",
    "None",
    "Some(1.0)",
    "*param",
    "grad",
    "step",
    "run",
    "hyper",
    "state",
    "f32::MAX",
    "len()",
    "all::len()",
    "ndim()",
    "dim(1)",
    "norm(grad)",
    "sum(grad * grad)",
    "mean(*param)",
    "all::max(grad)",
    "count(grad > 0.0)",
    "sign(grad)",
    "lerp(grad, *param, 0.5)",
    ".abs()",
    ".sqrt()",
    ".recip()",
    ".powi(3)",
    ".powi(step)",
    ".powf(0.5)",
    ".max(1.0)",
    ".clamp(0.0, 1.0)",
    ".mul_add(2.0, 1.0)",
    ".unwrap_or(1.0)",
    ".is_some()",
    "as f32",
    "as u32",
    "as usize",
    "+",
    "- grad",
    "* 1e30",
    "/ 0.0",
    "% 2.0",
    "< grad",
    "== 0.0",
    "&& true",
    "|| false",
    "!",
    "let x = grad;",
    "let mut x = 1.0;",
    "let (a, b) = (grad, 1.0);",
    "let _ = grad;",
    "x += grad;",
    "*param -= grad;",
    "if grad > 0.0 { 1.0 } else { 2.0 }",
    "if step == 1 { *param = 0.0; }",
    "if norm(grad) > 1.0 { *param = 0.0; }",
    "match grad { _ => 1.0 }",
    "{ grad }",
    "(grad, 1.0)",
    "return grad;",
    "for i in 0..3 {}",
    "|x| x",
    "#[tensor]",
    "#[all]",
    "#[host]",
    "#[keep]",
    "#[init(param)]",
    "#[init(1.0)]",
    "#[entry]",
    "#[entry(mode = eval)]",
    "#[hyper(default = 1.0)]",
    "#[hyper(default = 0.5, range = 0.0..1.0, switch, shared)]",
    "#[require(true, \"message\")]",
    "pub extra: f32,",
    "extra: f32,",
    "#[input] extra: f32",
    "#[scalar] extra: f32",
    "fn helper(x: f32) -> f32 { x }",
    "const HALF: f32 = 0.5;",
    "pub enum Mode { Plain, Fancy }",
    "f64",
    "u32",
    "bool",
    "Option<f32>",
    "&mut f32",
    "&State",
    "->",
    "_",
    "r#loop",
    "self",
    "Self",
    "crate",
];

/// How many tokens there are, those inside of groups too.
pub fn count(tokens: &TokenStream) -> usize {
    let inside = |token| match token {
        TokenTree::Group(group) => 1 + count(&group.stream()),
        _ => 1,
    };
    tokens.clone().into_iter().map(inside).sum()
}

/// Tokens in the order in which they are written, groups before what they hold.
pub fn flat(tokens: &TokenStream, all: &mut Vec<TokenTree>) {
    for token in tokens.clone() {
        all.push(token.clone());
        if let TokenTree::Group(group) = token {
            flat(&group.stream(), all);
        }
    }
}

/// Puts `with` in place of the token at `place`; counts `place` down on the way.
pub fn replace(tokens: &TokenStream, place: &mut Option<usize>, with: &[TokenTree]) -> TokenStream {
    let mut out = Vec::new();
    for token in tokens.clone() {
        match *place {
            Some(0) => {
                *place = None;
                out.extend(with.iter().cloned());
                continue;
            }
            Some(left) => *place = Some(left - 1),
            None => {}
        }
        match token {
            TokenTree::Group(group) if place.is_some() => {
                let mut inside = Group::new(group.delimiter(), replace(&group.stream(), place, with));
                inside.set_span(group.span());
                out.push(inside.into());
            }
            token => out.push(token),
        }
    }
    out.into_iter().collect()
}

/// Deletes, repeats or exchanges one token, or puts a fragment there. Mostly exchanges for one of the same kind, from
/// the rule or from `pool`, which is Rust syntax still and gets past the parser.
pub fn mutate(tokens: &TokenStream, pool: &TokenStream, choices: &mut impl Choices) -> TokenStream {
    let mut all = Vec::new();
    flat(tokens, &mut all);
    let place = choices.below(all.len());
    let Some(token) = all.get(place).cloned() else { return tokens.clone() };
    let kind = choices.below(40);
    if kind > 33 {
        flat(pool, &mut all);
    }
    let other = all[choices.below(all.len())].clone();
    let alike: Vec<&TokenTree> = all.iter().filter(|other| are_alike(other, &token)).collect();
    let with = match kind {
        0 => vec![],
        1 => vec![token.clone(), token],
        2 => vec![token, other],
        3 => vec![other],
        4 => fragment(choices),
        5 => [vec![token], fragment(choices)].concat(),
        _ => vec![alike[choices.below(alike.len())].clone()],
    };
    replace(tokens, &mut Some(place), &with)
}

/// Whether one token may stand for another in Rust's syntax, mostly: a name for a name, a word of Rust for a word of Rust.
fn are_alike(one: &TokenTree, other: &TokenTree) -> bool {
    let is_name = |token: &TokenTree| syn::parse_str::<syn::Ident>(&token.to_string()).is_ok();
    match (one, other) {
        (TokenTree::Ident(_), TokenTree::Ident(_)) => is_name(one) == is_name(other),
        (TokenTree::Group(one), TokenTree::Group(other)) => one.delimiter() == other.delimiter(),
        _ => discriminant(one) == discriminant(other),
    }
}

/// Something to put into a rule.
pub fn fragment(choices: &mut impl Choices) -> Vec<TokenTree> {
    let text = FRAGMENTS[choices.below(FRAGMENTS.len())];
    text.parse::<TokenStream>().unwrap().into_iter().collect()
}
