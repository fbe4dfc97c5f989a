//! A limit on how deep a rule nests, checked on its tokens: the parser and all that follows it are recursive, and a
//! macro must not take the compiler down with it.

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};

use crate::error::{Diagnostic, code};

/// The most that an item may weigh. Rules that people write stay under a quarter of it.
const LIMIT: usize = 400;

/// What a bracket weighs; a token weighs 1. Parsing a bracket takes that much more of the stack than an operator.
const BRACKET: usize = 8;

/// The diagnostic of an item that nests too deeply.
pub(crate) fn check(tokens: &TokenStream) -> Result<(), Vec<Diagnostic>> {
    match weigh(tokens.clone(), LIMIT) {
        Ok(_) => Ok(()),
        Err(span) => {
            let diagnostic = Diagnostic::new(code::TOO_DEEP, span, "this is nested too deeply, or too long");
            Err(vec![diagnostic.help("cut it into parts with `let` or helper functions")])
        }
    }
}

/// The weight of the heaviest run of tokens between `;`, `,` and blocks, with the heaviest bracket in it: a bound on how
/// deep its syntax tree is. The place where it exceeds what is left, if it does.
fn weigh(tokens: TokenStream, left: usize) -> Result<usize, Span> {
    let mut heaviest = 0;
    let (mut run, mut inside, mut before) = (0, 0, None);
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        run += 1;
        if let TokenTree::Group(group) = &token {
            let rest = left.checked_sub(run + BRACKET).ok_or_else(|| group.span_open())?;
            inside = inside.max(BRACKET + weigh(group.stream(), rest)?);
        }
        if run + inside > left {
            return Err(token.span());
        }
        heaviest = heaviest.max(run + inside);
        let next_is_else = matches!(tokens.peek(), Some(TokenTree::Ident(word)) if word == "else");
        if ends_run(&token, before.as_ref()) && !next_is_else {
            (run, inside) = (0, 0);
        }
        before = Some(token);
    }
    Ok(heaviest)
}

/// Whether what follows is no longer part of the same expression; a block is followed by one only through `else`.
fn ends_run(token: &TokenTree, before: Option<&TokenTree>) -> bool {
    match (token, before) {
        (TokenTree::Punct(punct), _) => matches!(punct.as_char(), ';' | ','),
        (TokenTree::Group(group), Some(TokenTree::Punct(punct))) if group.delimiter() == Delimiter::Bracket => {
            // An attribute: there may be many, a line of documentation is one.
            matches!(punct.as_char(), '#' | '!')
        }
        (TokenTree::Group(group), _) => group.delimiter() == Delimiter::Brace,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{BRACKET, LIMIT, check, weigh};

    fn weight(source: &str) -> Option<usize> {
        weigh(source.parse().unwrap(), LIMIT).ok()
    }

    #[test]
    fn runs_end_at_semicolons_commas_and_blocks() {
        assert_eq!(weight("a + b; c + d + e; f"), Some(6));
        assert_eq!(weight("a, b, c"), Some(2));
        assert_eq!(weight("if a { } if b { }"), Some(3 + BRACKET));
        assert_eq!(weight("if a { } else if b { }"), Some(7 + BRACKET));
        assert_eq!(weight("f(g(x))"), Some(2 + BRACKET + 2 + BRACKET + 1));
    }

    #[test]
    fn what_would_overflow_the_stack_is_refused() {
        let brackets = |n: usize| format!("{}x{}", "(".repeat(n), ")".repeat(n));
        for (long, fits) in [
            (brackets(40), true),
            (brackets(100_000), false),
            ("x + ".repeat(100) + "x", true),
            ("x + ".repeat(100_000) + "x", false),
            ("-".repeat(100_000) + "x", false),
            ("if a { } else ".repeat(10_000) + "{ }", false),
            ("x = 1;".repeat(100_000), true),
            ("#[doc = \"x\"]".repeat(100_000), true),
        ] {
            assert_eq!(check(&long.parse().unwrap()).is_ok(), fits, "{}", &long[..20]);
        }
    }
}
