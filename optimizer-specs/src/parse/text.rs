//! What is written, as text for messages.

use quote::ToTokens;

use super::expr::expr;
use crate::ast::text;
use crate::error::Collector;

/// An expression as the language writes it.
pub(super) fn of_expr(source: &syn::Expr) -> String {
    let ignored = Collector::new();
    let text = text::expr(&expr(source, &ignored));
    // What is wrong in it is told where it is read.
    ignored.finish();
    text
}

/// Tokens without the spaces that nobody writes: `Vec<f32>`, `&mut [f32]`.
pub(super) fn compact(source: &impl ToTokens) -> String {
    let spaced = source.to_token_stream().to_string();
    let mut text = String::new();
    let mut letters = spaced.chars().peekable();
    while let Some(letter) = letters.next() {
        let is_word = |letter: Option<char>| letter.is_some_and(|it| it.is_alphanumeric() || it == '_');
        let parts_words = is_word(text.chars().last()) && is_word(letters.peek().copied());
        if !letter.is_whitespace() || parts_words || text.ends_with([',', ';']) {
            text.push(letter);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::compact;

    #[test]
    fn spaces_stand_between_words_and_after_commas() {
        for text in ["Vec<f32>", "&mut f32", "[f32; 2]", "HashMap<u32, f32>", "std::primitive::f32"] {
            assert_eq!(compact(&syn::parse_str::<syn::Type>(text).unwrap()), text);
        }
    }
}
