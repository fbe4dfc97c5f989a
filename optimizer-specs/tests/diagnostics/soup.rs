//! Rules with changed tokens: whatever stands there, the compiler keeps its promises.

use std::fs;
use std::path::PathBuf;

use optimizer_specs::{compile, parse};
use proc_macro2::{TokenStream, TokenTree};

use crate::mutate::{Choices, count, mutate, replace};
use crate::promises::{keep_for_file, keep_for_rule};

/// Numbers that are the same on every run (Marsaglia's xorshift64).
struct Numbers(u64);

impl Choices for Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end.max(1) as u64) as usize
    }
}

/// Rules to start from.
fn rules() -> Vec<TokenStream> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let mut paths: Vec<PathBuf> = ["specs", "../tests/rules"]
        .iter()
        .flat_map(|folder| fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path()))
        .collect();
    paths.sort();
    let sources = paths.iter().map(|path| fs::read_to_string(path).unwrap());
    sources.flat_map(|source| parse::parse_file(&source).unwrap()).map(|(_, item)| item).collect()
}

#[test]
fn a_replaced_token_is_the_only_change() {
    let tokens: TokenStream = "a (b c) d".parse().unwrap();
    let with: Vec<TokenTree> = "x".parse::<TokenStream>().unwrap().into_iter().collect();
    assert_eq!(count(&tokens), 5);
    let texts: Vec<String> =
        (0..5).map(|place| replace(&tokens, &mut Some(place), &with).to_string().replace(' ', "")).collect();
    assert_eq!(texts, ["x(bc)d", "axd", "a(xc)d", "a(bx)d", "a(bc)x"]);
}

#[test]
fn every_rule_is_answered() {
    let right = rules();
    // Rules that are wrong already hold all the syntax that right ones do not.
    let cases = super::cases().into_iter().map(|case| fs::read_to_string(case).unwrap());
    let rules = cases.flat_map(|source| parse::parse_file(&source).unwrap_or_default());
    let wrong: Vec<TokenStream> = rules.map(|(_, item)| item).collect();
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let (mut unparsed, mut refused, mut accepted) = (0, 0, 0);
    for _ in 0..900 {
        let rules = if numbers.below(3) == 0 { &wrong } else { &right };
        let mut tokens = rules[numbers.below(rules.len())].clone();
        let pool = wrong[numbers.below(wrong.len())].clone();
        for _ in 0..=numbers.below(2) {
            tokens = mutate(&tokens, &pool, &mut numbers);
        }
        match keep_for_rule(&tokens, |_| {}).unwrap() {
            errors if errors.is_empty() => accepted += 1,
            errors if errors.iter().all(|error| error.code == "syntax") => unparsed += 1,
            _ => refused += 1,
        }
    }
    // That the mutations reach every stage.
    let counts = [unparsed, refused, accepted];
    assert!(counts.iter().all(|count| *count > 30), "{counts:?}");
}

#[test]
fn every_file_is_answered() {
    let mut numbers = Numbers(0x2545_f491_4f6c_dd1d);
    for case in super::cases() {
        let source = fs::read_to_string(case).unwrap();
        keep_for_file(&source, |_| {}).unwrap();
        for _ in 0..2 {
            let mut text: Vec<char> = source.chars().collect();
            text.remove(numbers.below(text.len()));
            text.truncate(numbers.below(4 * text.len()));
            keep_for_file(&String::from_iter(text), |_| {}).unwrap();
        }
    }
}

#[test]
fn what_is_just_within_the_limit_of_depth_does_not_overflow_the_stack() {
    let rule = |value: &str| {
        let source = format!(
            "mod deep {{ pub struct DeepParams {{}} fn update(param: &mut f32, grad: f32) {{ *param -= {value}; }} }}"
        );
        compile(TokenStream::new(), source.parse().unwrap()).map(|_| ())
    };
    let brackets = |n: usize| format!("{}grad{}", "(".repeat(n), ")".repeat(n));
    let sums = |n: usize| "grad + ".repeat(n) + "grad";
    let negations = |n: usize| "-".repeat(n) + "grad";
    for (fits, too_deep) in [(brackets(40), brackets(50)), (sums(180), sums(200)), (negations(340), negations(400))] {
        assert!(rule(&fits).is_ok(), "{fits}");
        assert_eq!(rule(&too_deep).unwrap_err()[0].code, "too-deep");
    }
}
