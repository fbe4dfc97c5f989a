//! Every sentence that the compiler can say about a rule is said in a case: each text of its sources that holds words is
//! looked for in what stands beside the cases.

use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};

/// Where diagnostics are made.
const SOURCES: [&str; 8] = [
    "parse",
    "check",
    "lower/diagnose.rs",
    "lower/mod.rs",
    "options.rs",
    "plan/variant.rs",
    "expand/requirement.rs",
    "nearest.rs",
];

/// Texts that are not said: what the parser says and is said better, and code.
const UNSAID: [&str; 6] = [
    "cannot parse string",
    "expected ident",
    "expected identifier",
    "expected one of: identifier",
    "expected `;`",
    "math::whole(shape.len() as u64)",
];

fn files(path: &Path, found: &mut Vec<PathBuf>) {
    if path.is_dir() {
        let mut entries: Vec<PathBuf> = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
        entries.sort();
        entries.iter().for_each(|entry| files(entry, found));
    } else {
        found.push(path.to_owned());
    }
}

/// The string literals of a source, but for those of attributes (documentation is one) and of tests.
fn literals(tokens: TokenStream, found: &mut Vec<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (index, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => {
                let before = |back: usize| index.checked_sub(back).map(|index| tokens[index].to_string());
                let is_attribute = matches!(before(1).as_deref(), Some("#" | "!"));
                let is_tests = before(1).as_deref() == Some("tests") && before(2).as_deref() == Some("mod");
                if !is_attribute && !is_tests {
                    literals(group.stream(), found);
                }
            }
            TokenTree::Literal(literal) => {
                if let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string()) {
                    found.push(text.value());
                }
            }
            TokenTree::Ident(_) | TokenTree::Punct(_) => {}
        }
    }
}

/// What stands between the places where values are filled in.
fn parts(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let doubled = matches!(letter, '{' | '}') && letters.peek() == Some(&letter);
        if letter == '{' && !doubled {
            letters.by_ref().find(|letter| *letter == '}');
            parts.push(String::new());
            continue;
        }
        if doubled {
            letters.next();
        }
        parts.last_mut().unwrap().push(letter);
    }
    parts
}

/// Whether a line holds the parts in their order.
fn is_said(parts: &[String], line: &str) -> bool {
    let mut rest = line;
    parts.iter().all(|part| match rest.split_once(part.as_str()) {
        Some((_, after)) => {
            rest = after;
            true
        }
        None => false,
    })
}

#[test]
fn every_sentence_is_said_in_a_case() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    SOURCES.iter().for_each(|source| files(&root.join(source), &mut paths));
    let said: Vec<String> =
        super::cases().iter().map(|case| fs::read_to_string(case.with_extension("txt")).unwrap()).collect();
    let lines: Vec<&str> = said.iter().flat_map(|text| text.lines()).collect();

    let mut sentences = 0;
    let mut unsaid = Vec::new();
    for path in paths {
        let mut texts = Vec::new();
        literals(fs::read_to_string(&path).unwrap().parse().unwrap(), &mut texts);
        for text in texts.iter().filter(|text| text.trim().contains(' ') && !UNSAID.contains(&text.as_str())) {
            sentences += 1;
            let parts = parts(text);
            if !lines.iter().any(|line| is_said(&parts, line)) {
                unsaid.push(format!("{}: {text}", path.file_name().unwrap().display()));
            }
        }
    }
    assert!(sentences > 350, "only {sentences}: are sources missing?");
    assert!(unsaid.is_empty(), "no case says\n{}", unsaid.join("\n"));
}

#[test]
fn a_sentence_is_its_parts_in_order() {
    assert_eq!(parts("no `{name}` in {{ {} }}"), ["no `", "` in { ", " }"]);
    assert!(is_said(&parts("no `{name}` here"), "error: no `grda` here"));
    assert!(!is_said(&parts("no `{name}` here"), "error: no `grda` there"));
    assert!(!is_said(&parts("b {} a"), "a b"));
}
