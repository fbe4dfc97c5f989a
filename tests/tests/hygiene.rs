//! Rules in hostile places: what the user calls things, what is in scope around a rule, and which lints are on must
//! make no difference to what it expands to.

#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, clippy::all, clippy::pedantic)]

mod hygiene {
    pub mod facade;
    pub mod in_function;
    pub mod lints;
    pub mod made_by_macro;
    pub mod names;
    pub mod no_prelude;
    pub mod reexported;
    pub mod shadowed;
}

/// `crates/strict-2024`, which is edition 2021's too, holds every rule, so that none escapes the lints; and the lists that
/// the tests go through name it.
#[test]
fn every_rule_is_in_the_strict_crate_and_in_a_list() {
    let tests = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let listed = optimizer_specs::standard::ALL.iter().chain(optirs_gpu_tests::rules::SOURCES).map(|(name, _)| *name);
    for (rules, holder) in [("rules", "various.rs"), ("../optimizer-specs/specs", "standard.rs")] {
        let holder = std::fs::read_to_string(tests.join("crates/strict-2024/src").join(holder)).unwrap();
        for entry in std::fs::read_dir(tests.join(rules)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert!(holder.contains(&format!("/{name}\");")), "{name} is not in the strict crate");
            let stem = name.trim_end_matches(".rs");
            assert!(listed.clone().any(|rule| rule == stem), "no list of rules names {name}, so that no test sees it");
        }
    }
}
