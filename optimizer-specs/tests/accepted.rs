//! Rules that are right: every one of `rules/` is accepted, without warnings.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail so")]

use std::fs;
use std::path::PathBuf;

use optimizer_specs::checked::Rule;
use optimizer_specs::{check, parse};

/// The checked rules of a file under `tests/rules`.
fn checked(name: &str) -> Vec<Rule> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/rules").join(name);
    let source = fs::read_to_string(&path).unwrap();
    let rules = parse::parse_file(&source).unwrap();
    let checked = rules.into_iter().map(|(attribute, item)| {
        let rule = parse::parse(attribute, item).unwrap();
        let (rule, warnings) = check::check(&rule).unwrap_or_else(|errors| panic!("{name}: {errors:#?}"));
        assert!(warnings.is_empty(), "{name}: {warnings:#?}");
        rule
    });
    checked.collect()
}

#[test]
fn every_rule_is_accepted_without_warnings() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/rules");
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        count += checked(&name).len();
    }
    assert_eq!(count, 17);
}
