//! What a wrong rule is told: every `<topic>/<case>.rs` gives exactly the text of `<case>.txt` beside it.
//!
//! `UPDATE_EXPECT=1 cargo test -p optimizer-specs --test diagnostics` writes the texts anew; read what changes.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail so")]

mod mutate;
mod promises;
mod sentences;
mod soup;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use optimizer_specs::error::{CATALOGUE, Diagnostic};
use optimizer_specs::report::{Severity, byte_range, in_order, plain};
use optimizer_specs::{compile, parse};
use proc_macro2::TokenStream;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/diagnostics")
}

/// All cases, in order of their paths.
fn cases() -> Vec<PathBuf> {
    let topics = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    let files = topics.flat_map(|topic| fs::read_dir(topic).unwrap().map(|entry| entry.unwrap().path()));
    let mut cases: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|it| it == "rs")).collect();
    cases.sort();
    cases
}

/// Errors and warnings of all rules of a source.
fn diagnostics(source: &str) -> (Vec<Diagnostic>, Vec<Diagnostic>) {
    let (mut errors, mut warnings) = (Vec::new(), Vec::new());
    match parse::parse_file(source) {
        Ok(rules) => {
            for (attribute, item) in rules {
                match compile(attribute, item) {
                    Ok(compiled) => warnings.extend(compiled.warnings),
                    Err(found) => errors.extend(found),
                }
            }
        }
        Err(found) => errors.extend(found),
    }
    (errors, warnings)
}

fn text(source: &str) -> String {
    let (errors, warnings) = diagnostics(source);
    let texts = [plain(source, Severity::Error, &errors), plain(source, Severity::Warning, &warnings)];
    texts.iter().filter(|text| !text.is_empty()).cloned().collect::<Vec<_>>().join("\n")
}

#[test]
fn every_case_is_told_what_stands_beside_it() {
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut wrong = Vec::new();
    for case in cases() {
        let found = text(&fs::read_to_string(&case).unwrap());
        assert!(!found.is_empty(), "{} is accepted without a word", case.display());
        let beside = case.with_extension("txt");
        if update {
            fs::write(&beside, &found).unwrap();
        }
        let expected = fs::read_to_string(&beside).unwrap_or_default();
        if found != expected {
            wrong.push(format!("{}\n--- expected\n{expected}\n--- found\n{found}", case.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The words under which a report draws its carets are one token: of several, rustc would draw them under the first alone.
#[test]
fn every_diagnostic_points_at_one_token() {
    for case in cases() {
        let source = fs::read_to_string(&case).unwrap();
        let (errors, warnings) = diagnostics(&source);
        for diagnostic in errors.iter().chain(&warnings) {
            let marked = &source[byte_range(&source, diagnostic.span)];
            let is_operator = marked.chars().all(|letter| letter.is_ascii_punctuation());
            let tokens = marked.parse::<TokenStream>().map(|tokens| tokens.into_iter().count());
            let is_lifetime = marked.starts_with('\'');
            let one = is_operator || is_lifetime || matches!(tokens, Ok(1)) || diagnostic.code == "no-rule";
            assert!(one, "{}: {}: `{marked}`", case.display(), diagnostic.message);
        }
    }
}

/// In the folder `habits` a comment at the end of a line names a mistake. It is told there, once, and nothing else is.
#[test]
fn every_mistake_is_told_once_and_nothing_follows_from_it() {
    let habits = cases().into_iter().filter(|case| case.parent().is_some_and(|topic| topic.ends_with("habits")));
    let mut mistakes = 0;
    for case in habits {
        let source = fs::read_to_string(&case).unwrap();
        let (errors, _) = diagnostics(&source);
        let told: Vec<usize> = in_order(&errors).iter().map(|error| error.span.start().line).collect();
        let made = source.lines().enumerate().filter(|(_, line)| line.contains(" // ")).map(|(index, _)| index + 1);
        let made: Vec<usize> = made.collect();
        assert_eq!(told, made, "lines of errors, lines of mistakes in {}", case.display());
        mistakes += made.len();
    }
    assert!(mistakes > 200, "only {mistakes}");
}

#[test]
fn every_entry_of_the_catalogue_has_a_case_and_no_code_is_outside_of_it() {
    let mut found = BTreeSet::new();
    for case in cases() {
        let (errors, warnings) = diagnostics(&fs::read_to_string(&case).unwrap());
        found.extend(errors.iter().chain(&warnings).map(|diagnostic| diagnostic.code));
    }
    let known: BTreeSet<&str> = CATALOGUE.iter().map(|(code, _)| *code).collect();
    assert_eq!(known.len(), CATALOGUE.len(), "a code stands twice in the catalogue");
    assert_eq!(found, known);
}

#[test]
fn every_diagnostic_says_what_to_write_instead() {
    for case in cases() {
        let (errors, warnings) = diagnostics(&fs::read_to_string(&case).unwrap());
        for diagnostic in errors.iter().chain(&warnings) {
            assert!(diagnostic.help.is_some(), "{}: {}", case.display(), diagnostic.message);
        }
    }
}

/// A text beside no case would never be compared.
#[test]
fn no_text_is_left_without_a_case() {
    let cases = cases();
    for topic in cases.iter().filter_map(|case| case.parent()).collect::<BTreeSet<&Path>>() {
        for entry in fs::read_dir(topic).unwrap() {
            let path = entry.unwrap().path();
            assert!(cases.contains(&path.with_extension("rs")), "{} has no case", path.display());
        }
    }
}
