//! Broken rules: random ones with tokens exchanged, and soup of the language's words. Whatever stands there, the
//! compiler keeps its promises.

use std::panic::{AssertUnwindSafe, catch_unwind};

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use super::generate;
use super::mutate::{Choices, flat, fragment, mutate, replace};
use super::promises::{Answer, keep_for_file, keep_for_rule};
use crate::parity::Random;

impl Choices for Random {
    fn below(&mut self, end: usize) -> usize {
        Random::below(self, end.max(1) as u64) as usize
    }
}

/// The text of a broken rule, with spaces between all tokens: the same for the same seed.
pub fn text(seed: u64) -> String {
    let mut random = Random::new(seed ^ 0xb20c_e217_0f5a_11ed);
    let mut broken = rule(&mut random);
    let other = rule(&mut random);
    if random.once_in(8) {
        broken = soup(&broken, &other, &mut random);
    } else {
        for _ in 0..=random.below(2) {
            broken = mutate(&broken, &other, &mut random);
        }
    }
    let mut words = Vec::new();
    flatten(broken, &mut words);
    words.join(" ")
}

fn rule(random: &mut Random) -> TokenStream {
    let text = generate::rule(random.below(100_000)).to_string();
    text.parse().unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The words of tokens, delimiters too.
fn flatten(tokens: TokenStream, all: &mut Vec<String>) {
    let mut joint = false;
    for token in tokens {
        let text = match &token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                all.push(open.to_owned());
                flatten(group.stream(), all);
                close.to_owned()
            }
            token => token.to_string(),
        };
        match all.last_mut() {
            Some(last) if joint => last.push_str(&text),
            _ => all.push(text),
        }
        joint = matches!(&token, TokenTree::Punct(punct) if punct.spacing() == proc_macro2::Spacing::Joint);
    }
}

/// Replaces what one pair of delimiters holds by tokens and fragments in any order.
fn soup(tokens: &TokenStream, other: &TokenStream, random: &mut Random) -> TokenStream {
    let (mut own, mut foreign) = (Vec::new(), Vec::new());
    flat(tokens, &mut own);
    flat(other, &mut foreign);
    foreign.retain(|token| !matches!(token, TokenTree::Group(_)));
    let groups = own.iter().enumerate().filter_map(|(place, token)| match token {
        TokenTree::Group(group) => Some((place, group.delimiter())),
        _ => None,
    });
    let groups: Vec<(usize, Delimiter)> = groups.collect();
    let (place, delimiter) = groups[random.below(groups.len() as u64) as usize];
    let mut inside = Vec::new();
    for _ in 0..random.below(30) {
        match random.once_in(2) {
            true => inside.push(foreign[random.below(foreign.len() as u64) as usize].clone()),
            false => inside.extend(fragment(random)),
        }
    }
    let group = Group::new(delimiter, inside.into_iter().collect());
    replace(tokens, &mut Some(place), &[group.into()])
}

/// Holds the compiler to its promises on a text, and on its tokens where it is no file of Rust: rustc would not hand them
/// on, but whoever else calls the compiler may.
///
/// # Errors
/// A panic, or the promise that it breaks.
pub fn check(text: &str) -> Result<Answer, String> {
    let answer = || {
        let answer = keep_for_file(text, |_| {})?;
        if let (Answer::NoRule, Ok(tokens)) = (answer, text.parse()) {
            keep_for_rule(&tokens, |_| {})?;
        }
        Ok(answer)
    };
    catch_unwind(AssertUnwindSafe(answer)).unwrap_or_else(|_| Err("the compiler panics".to_owned()))
}

/// What kind of failure it is: the first line of what is wrong.
pub fn reason(what: &str) -> &str {
    what.lines().next().unwrap_or_default()
}

/// The text with as many words taken out as may be, so that it still fails so.
pub fn shrink(text: &str, what: &str) -> String {
    let mut words: Vec<&str> = text.split(' ').collect();
    let mut length = words.len() / 2;
    while length > 0 {
        let mut place = 0;
        while place + length <= words.len() {
            let rest = [&words[..place], &words[place + length..]].concat();
            if check(&rest.join(" ")).is_err_and(|other| reason(&other) == reason(what)) {
                words = rest;
            } else {
                place += length;
            }
        }
        length /= 2;
    }
    words.join(" ")
}
