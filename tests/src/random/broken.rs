//! Broken rules: valid ones with tokens exchanged, and soup of the language's words. Whatever stands there, the compiler
//! answers: with success, or with errors that each point somewhere, beside a stub that is Rust.

use std::panic::{AssertUnwindSafe, catch_unwind};

use optimizer_specs::error::Diagnostic;
use optimizer_specs::stub::stub;
use optimizer_specs::{compile, parse};
use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::generate;
use crate::parity::Random;

/// What became of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Its rules compile.
    Accepted,
    /// There is a rule, and the compiler says what is wrong with it.
    Refused,
    /// It is no file of Rust with a rule in it.
    NoRule,
}

/// Words of the language and of Rust, to stand where they do not belong.
const WORDS: [&str; 84] = [
    "0",
    "1",
    "-1",
    "0.0",
    "1.0",
    "1e39",
    "1e-60",
    "4294967296",
    "340282350000000000000000000000000000000000.0",
    "0x10",
    "1u8",
    "1.0f64",
    "'a'",
    "\"text\"",
    "b\"x\"",
    "true",
    "false",
    "param",
    "grad",
    "state",
    "hyper",
    "step",
    "run",
    "*",
    "&",
    "&&",
    "||",
    "!",
    "-",
    "+",
    "/",
    "%",
    "=",
    "==",
    "+=",
    "%=",
    "<",
    "<<",
    "..",
    "..=",
    "=>",
    "->",
    "::",
    ":",
    ";",
    ",",
    ".",
    "#",
    "?",
    "@",
    "_",
    "'lifetime",
    "if",
    "else",
    "match",
    "let",
    "mut",
    "ref",
    "for",
    "while",
    "loop",
    "return",
    "break",
    "fn",
    "pub",
    "struct",
    "enum",
    "const",
    "static",
    "unsafe",
    "async",
    "move",
    "dyn",
    "impl",
    "where",
    "as",
    "f32",
    "f64",
    "u32",
    "Option",
    "Some",
    "None",
    "sum",
    "all",
];

/// The text of a broken rule: the same for the same seed.
pub fn text(seed: u64) -> String {
    let mut random = Random::new(seed ^ 0xb20c_e217_0f5a_11ed);
    let rule = |random: &mut Random| words(&generate::rule(random.below(100_000)).to_string());
    let mut tokens = rule(&mut random);
    let other = rule(&mut random);
    if random.once_in(8) {
        soup(&mut tokens, &other, &mut random);
    } else {
        for _ in 0..1 + random.below(3) {
            mutate(&mut tokens, &other, &mut random);
        }
    }
    tokens.join(" ")
}

/// All tokens, delimiters too.
fn words(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    flatten(text.parse().unwrap_or_else(|error| panic!("{error}: {text}")), &mut all);
    all
}

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

fn is_delimiter(word: &str) -> bool {
    matches!(word, "(" | ")" | "{" | "}" | "[" | "]")
}

/// Names, numbers, words of Rust and the rest: what is exchanged for its like is Rust syntax still.
fn kind(word: &str) -> u8 {
    match word.chars().next() {
        _ if syn::parse_str::<syn::Ident>(word).is_err() && word.starts_with(char::is_alphabetic) => 3,
        Some(letter) if letter.is_alphabetic() || letter == '_' => 0,
        Some(digit) if digit.is_ascii_digit() => 1,
        _ => 2,
    }
}

/// Changes one token, mostly a name or a number, and into one of its kind.
fn mutate(tokens: &mut Vec<String>, other: &[String], random: &mut Random) {
    let mut at = |tokens: &[String]| loop {
        let place = random.below(tokens.len() as u64) as usize;
        if kind(&tokens[place]) < 2 || random.once_in(if is_delimiter(&tokens[place]) { 200 } else { 10 }) {
            return place;
        }
    };
    let (place, second, foreign) = (at(tokens), at(tokens), at(other));
    let known = tokens.iter().chain(other).map(String::as_str).chain(WORDS);
    let alike: Vec<&str> = known.filter(|word| kind(word) == kind(&tokens[place]) && !is_delimiter(word)).collect();
    match random.below(60) {
        0 => _ = tokens.remove(place),
        1 => tokens.insert(place, tokens[place].clone()),
        2 => tokens.swap(place, second),
        3 => tokens[place] = other[foreign].clone(),
        4 => tokens.insert(place, WORDS[random.below(WORDS.len() as u64) as usize].to_owned()),
        _ if !alike.is_empty() => tokens[place] = alike[random.below(alike.len() as u64) as usize].to_owned(),
        _ => {}
    }
}

/// Replaces what one pair of delimiters holds by words in any order.
fn soup(tokens: &mut Vec<String>, other: &[String], random: &mut Random) {
    let opens: Vec<usize> = (0..tokens.len()).filter(|place| matches!(&*tokens[*place], "(" | "{" | "[")).collect();
    let open = opens[random.below(opens.len() as u64) as usize];
    let mut depth = 0;
    let close = (open..tokens.len()).find(|place| {
        match &*tokens[*place] {
            "(" | "{" | "[" => depth += 1,
            ")" | "}" | "]" => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    let word = |random: &mut Random| loop {
        let known = random.once_in(2).then(|| other[random.below(other.len() as u64) as usize].clone());
        let word = known.unwrap_or_else(|| WORDS[random.below(WORDS.len() as u64) as usize].to_owned());
        if !is_delimiter(&word) {
            return word;
        }
    };
    let words: Vec<String> = (0..random.below(30)).map(|_| word(random)).collect();
    tokens.splice(open + 1..close.unwrap_or(tokens.len()), words);
}

/// Compiles whatever rules a text holds.
///
/// # Errors
/// A panic, a refusal without a reason or without a place, a stub that is no Rust.
pub fn check(text: &str) -> Result<Outcome, String> {
    let answer = catch_unwind(AssertUnwindSafe(|| answer(text)));
    answer.unwrap_or_else(|_| Err("the compiler panics".to_owned()))
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

fn answer(text: &str) -> Result<Outcome, String> {
    let rules = match parse::parse_file(text) {
        Ok(rules) => rules,
        Err(errors) if errors.is_empty() => return Err("it is refused without a reason".to_owned()),
        // No Rust, so that rustc would not hand it on; whoever calls the compiler may.
        Err(_) => {
            if let Ok(tokens) = text.parse::<TokenStream>() {
                refused(&TokenStream::new(), &tokens)?;
            }
            return Ok(Outcome::NoRule);
        }
    };
    let mut outcome = Outcome::Accepted;
    for (attribute, item) in rules {
        if refused(&attribute, &item)? {
            outcome = Outcome::Refused;
        }
    }
    Ok(outcome)
}

/// Whether the compiler refuses an item, for a reason and with a stub.
fn refused(attribute: &TokenStream, item: &TokenStream) -> Result<bool, String> {
    let Err(errors) = compile(attribute.clone(), item.clone()) else { return Ok(false) };
    reasons(&errors)?;
    let stub = stub(item, attribute, &errors).to_string();
    let stub: syn::File = syn::parse_str(&stub).map_err(|error| format!("the stub is no Rust: {error}\n{stub}"))?;
    let named = |item: &syn::Item| matches!(item, syn::Item::Mod(_));
    if syn::parse2::<syn::ItemMod>(item.clone()).is_ok() && !stub.items.iter().any(named) {
        return Err("the stub has no module".to_owned());
    }
    Ok(true)
}

fn reasons(errors: &[Diagnostic]) -> Result<(), String> {
    if errors.is_empty() {
        return Err("it is refused without a reason".to_owned());
    }
    match errors.iter().find(|error| error.span.byte_range() == (0..0)) {
        Some(error) => Err(format!("an error points nowhere: {}: {}", error.code, error.message)),
        None => Ok(()),
    }
}
