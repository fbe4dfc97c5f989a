//! Rules that are right are accepted, without warnings.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail so")]

use std::fs;
use std::path::PathBuf;

use optimizer_specs::{check, parse};

/// Checks all rules of the files in a folder; returns how many there are.
fn accepted(folder: &str) -> usize {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut count = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.display();
        for (attribute, item) in parse::parse_file(&fs::read_to_string(&path).unwrap()).unwrap() {
            let rule = parse::parse(attribute, item).unwrap();
            let (_, warnings) = check::check(&rule).accepted().unwrap_or_else(|errors| panic!("{name}: {errors:#?}"));
            assert!(warnings.is_empty(), "{name}: {warnings:#?}");
            count += 1;
        }
    }
    count
}

#[test]
fn standard_rules() {
    assert!(accepted("specs") >= 39);
}

#[test]
fn rules_of_the_tests() {
    assert!(accepted("../tests/rules") >= 8);
}
