//! The list of seeded faults is up to date: every fault can be made, the test that notices it exists, and the document
//! shows both. Whether the tests notice is for `cargo run -p optirs-gpu-tests --bin mutations` to say.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use expect_test::expect_file;
use optirs_gpu_tests::mutations::{Test, document, faults};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

#[test]
fn every_fault_can_be_made() {
    let mut names = BTreeSet::new();
    for fault in faults::all() {
        assert!(names.insert(fault.name), "two faults named {}", fault.name);
        let text = std::fs::read_to_string(repository().join(fault.file)).unwrap_or_else(|error| {
            panic!("{}: {}: {error}", fault.name, fault.file);
        });
        let applied = fault.applied(&text).unwrap_or_else(|| {
            panic!("{}: the text does not stand in {} exactly once: {}", fault.name, fault.file, fault.find);
        });
        assert_ne!(applied, text, "{}", fault.name);
    }
    assert!(names.len() >= 100, "{}", names.len());
}

#[test]
fn the_test_that_notices_a_fault_exists() {
    for fault in faults::all() {
        let test = Test::parse(fault.caught_by).unwrap_or_else(|| panic!("{}: {}", fault.name, fault.caught_by));
        let folder = match test.package {
            "optimizer-specs" | "optirs-gpu" => repository().join(test.package),
            "optirs-gpu-tests" => repository().join("tests"),
            other => panic!("{}: no package {other}", fault.name),
        };
        let folder = folder.join(if test.target == "lib" { "src" } else { "tests" });
        let function = test.name.rsplit("::").next().expect("a name has a last part");
        assert!(holds(&folder, &format!("fn {function}(")), "{}: no test {}", fault.name, fault.caught_by);
    }
}

/// Whether a text stands in one of the Rust files of a folder.
fn holds(folder: &Path, text: &str) -> bool {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries.map(|entry| entry.expect("a folder's entry").path()).any(|path| {
        let is_rust = path.extension().is_some_and(|extension| extension == "rs");
        if path.is_dir() {
            holds(&path, text)
        } else {
            is_rust && std::fs::read_to_string(&path).is_ok_and(|source| source.contains(text))
        }
    })
}

#[test]
fn the_document_shows_the_list() {
    expect_file!["../../docs/mutations.md"].assert_eq(&document());
}
