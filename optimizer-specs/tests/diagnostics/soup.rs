//! Rules with tokens deleted, repeated and swapped: whatever stands there, the compiler answers and does not panic.

use std::fs;
use std::mem::discriminant;
use std::path::PathBuf;

use optimizer_specs::stub::stub;
use optimizer_specs::{check, compile, parse};
use proc_macro2::{Group, TokenStream, TokenTree};

/// Numbers that are the same on every run (Marsaglia's xorshift64).
struct Numbers(u64);

impl Numbers {
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

/// How many tokens there are, those inside of groups too.
fn count(tokens: &TokenStream) -> usize {
    let inside = |token| match token {
        TokenTree::Group(group) => 1 + count(&group.stream()),
        _ => 1,
    };
    tokens.clone().into_iter().map(inside).sum()
}

/// Tokens in the order in which they are written, groups before what they hold.
fn flat(tokens: &TokenStream, all: &mut Vec<TokenTree>) {
    for token in tokens.clone() {
        all.push(token.clone());
        if let TokenTree::Group(group) = token {
            flat(&group.stream(), all);
        }
    }
}

/// Puts `with` in place of the token at `place`; counts `place` down on the way.
fn replace(tokens: &TokenStream, place: &mut Option<usize>, with: &[TokenTree]) -> TokenStream {
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

/// Deletes, repeats or exchanges one token. Mostly exchanges for one of the same kind, which is Rust syntax still and
/// gets past the parser.
fn mutate(tokens: &TokenStream, numbers: &mut Numbers) -> TokenStream {
    let mut all = Vec::new();
    flat(tokens, &mut all);
    let place = numbers.below(all.len());
    let Some(token) = all.get(place).cloned() else { return tokens.clone() };
    let other = all[numbers.below(all.len())].clone();
    let alike: Vec<&TokenTree> = all.iter().filter(|other| discriminant(*other) == discriminant(&token)).collect();
    let with = match numbers.below(20) {
        0 => vec![],
        1 => vec![token.clone(), token],
        2 => vec![token, other],
        3 => vec![other],
        _ => vec![alike[numbers.below(alike.len())].clone()],
    };
    replace(tokens, &mut Some(place), &with)
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
fn no_rule_makes_the_compiler_panic() {
    let mut rules = rules();
    // Rules that are wrong already hold all the syntax that right ones do not.
    let cases = super::cases().into_iter().map(|case| fs::read_to_string(case).unwrap());
    rules.extend(cases.flat_map(|source| parse::parse_file(&source).unwrap_or_default()).map(|(_, item)| item));
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let (mut unparsed, mut refused, mut accepted) = (0, 0, 0);
    for _ in 0..1500 {
        let mut tokens = rules[numbers.below(rules.len())].clone();
        for _ in 0..=numbers.below(2) {
            tokens = mutate(&tokens, &mut numbers);
        }
        let (count, found) = match parse::parse(TokenStream::new(), tokens.clone()) {
            Err(errors) => (&mut unparsed, Err(errors)),
            Ok(rule) => match check::check(&rule) {
                Err(errors) => (&mut refused, Err(errors)),
                Ok(_) => (&mut accepted, Ok(())),
            },
        };
        *count += 1;
        if let Err(errors) = found {
            assert!(!errors.is_empty(), "refused without a reason: {tokens}");
            let text = stub(&tokens, &TokenStream::new(), &errors).to_string();
            assert!(syn::parse_str::<syn::File>(&text).is_ok(), "not Rust: {text}");
        }
    }
    // That the mutations reach every stage.
    let counts = [unparsed, refused, accepted];
    assert!(counts.iter().all(|count| *count > 30), "{counts:?}");
}

#[test]
fn no_accepted_rule_makes_the_later_stages_panic() {
    let rules = rules();
    let mut numbers = Numbers(0x2545_f491_4f6c_dd1d);
    for _ in 0..60 {
        let tokens = mutate(&rules[numbers.below(rules.len())], &mut numbers);
        if let Err(errors) = compile(TokenStream::new(), tokens.clone()) {
            assert!(!errors.is_empty(), "refused without a reason: {tokens}");
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
