//! What is no Rust at all: what the parser says, and what was probably meant.
//!
//! rustc reads a rule before the macro does and says the like itself; these reports are those of `optspec`.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};

use crate::error::{Diagnostic, code};

/// The error of a source that is not Rust. Where the parser misses something at the very end there is no place to point
/// at but the last of the tokens.
pub(super) fn diagnostic(error: &syn::Error, tokens: TokenStream) -> Diagnostic {
    let message = error.to_string();
    // What the tokenizer says of everything that it does not take.
    if message.starts_with("cannot parse string") {
        let help = "look for a bracket or quote that is not closed, or closed twice";
        return Diagnostic::new(code::SYNTAX, error.span(), "this is not Rust").help(help);
    }
    let span = error.span();
    if span.start() == span.end() {
        let last = tokens.into_iter().last().map_or(span, |token| token.span());
        return Diagnostic::new(code::SYNTAX, last, message).help(OTHERWISE);
    }
    let (before, at) = around(tokens, span);
    // What follows a word that Rust takes for a name is what the parser stumbles over.
    for word in [at.as_ref(), before.as_ref()].into_iter().flatten() {
        if let Some(help) = of_another_language(&word.to_string()) {
            return Diagnostic::new(code::SYNTAX, word.span(), format!("`{word}` is not Rust")).help(help);
        }
    }
    if message.starts_with("comparison operators cannot be chained") {
        let help = "compare two values at a time, and join the comparisons by `&&`: `a < b && b < c`";
        return Diagnostic::new(code::SYNTAX, span, message).help(help);
    }
    if let (Some(TokenTree::Ident(word)), true) = (&at, wants_name(&message)) {
        let message = format!("a name is expected, and `{word}` is a word of Rust");
        return Diagnostic::new(code::SYNTAX, span, message).help(other_name(word));
    }
    let follows_question = matches!(&before, Some(TokenTree::Punct(sign)) if sign.as_char() == '?');
    let help = match at.map(|token| token.to_string()).as_deref() {
        _ if follows_question => CHOICE,
        Some("if") => CHOICE,
        Some(":") => "a block stands in braces: `if condition { … } else { … }`",
        _ if matches!(before, Some(TokenTree::Punct(sign)) if matches!(sign.as_char(), '+' | '-')) => {
            "there is no `++` and no `--`: write `x += 1.0;`"
        }
        _ if message.contains("expected `;`") => "end what stands before it with `;`",
        _ => OTHERWISE,
    };
    Diagnostic::new(code::SYNTAX, span, message).help(help)
}

const OTHERWISE: &str = "a rule is Rust syntax";

const CHOICE: &str = "to choose a value write `if condition { a } else { b }`";

/// Whether the parser looked for a name alone, or for a pattern, which may begin with one.
fn wants_name(message: &str) -> bool {
    message.starts_with("expected identifier") || message.starts_with("expected one of: identifier")
}

/// What to write instead of a name that is a word of Rust.
pub(super) fn other_name(word: &Ident) -> String {
    // Of these there is no raw form.
    if ["_", "self", "Self", "super", "crate"].iter().any(|path| word == path) {
        "take another name".to_owned()
    } else {
        format!("take another name, or write `r#{word}`")
    }
}

/// `gen`, which edition 2024 takes for a word of Rust wherever it stands. A macro does not hear of the edition, and a rule
/// is to be right in each of them.
pub(super) fn word_of_edition_2024(tokens: TokenStream) -> Option<Ident> {
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Ident(word) => (word == "gen").then_some(word),
        TokenTree::Group(group) => word_of_edition_2024(group.stream()),
        TokenTree::Punct(_) | TokenTree::Literal(_) => None,
    })
}

/// What to write instead of a word of Python.
fn of_another_language(word: &str) -> Option<&'static str> {
    Some(match word {
        "and" => "write `&&`",
        "or" => "write `||`",
        "not" => "write `!`",
        "is" => "write `==`",
        "elif" => "write `else if`",
        "def" => "write `fn`",
        _ => return None,
    })
}

/// The token that starts where a span does, and the one before it in the same brackets.
fn around(tokens: TokenStream, span: Span) -> (Option<TokenTree>, Option<TokenTree>) {
    let mut before = None;
    for token in tokens {
        if token.span().start() == span.start() {
            return (before, Some(token));
        }
        if let TokenTree::Group(group) = &token {
            let inside = around(group.stream(), span);
            if inside.1.is_some() {
                return inside;
            }
        }
        before = Some(token);
    }
    (None, None)
}
