//! What a rule expands to, as a file that one can read: `tests/expansion/expected/sgd.rs`.
//!
//! After a change: `UPDATE_EXPECT=1 cargo test -p optirs-gpu-tests --test expansion`, then read the diff.

use std::path::PathBuf;

use optimizer_specs::{compile, expand, parse, standard};

/// The expansion of a standard rule, pretty-printed.
fn expansion(name: &str) -> String {
    let source = standard::source(name).expect("a standard rule");
    let rules = parse::parse_file(source).expect("Rust syntax");
    let (attribute, item) = rules.into_iter().next().expect("a rule");
    let compiled = compile(attribute, item).expect("a correct rule");
    let tokens = expand::expand(&compiled);
    prettyplease::unparse(&syn::parse2(tokens).expect("items"))
}

#[test]
fn the_expansion_of_sgd() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("expansion/expected/sgd.rs");
    let expansion = expansion("sgd");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, &expansion).expect("the golden file can be written");
    }
    let golden = std::fs::read_to_string(&path).expect("the golden file exists");
    assert!(golden == expansion, "the expansion of sgd differs from {}", path.display());
}

#[test]
fn the_same_rule_gives_the_same_tokens() {
    for (name, _) in standard::ALL {
        assert_eq!(expansion(name), expansion(name), "{name}");
    }
}

#[test]
fn the_expansion_names_everything_by_absolute_path() {
    for (name, _) in standard::ALL {
        let expansion = expansion(name);
        let uses = expansion.lines().map(str::trim_start).filter(|line| line.starts_with("use "));
        let foreign: Vec<_> = uses
            .filter(|line| {
                !["use ::core::", "use ::optirs_gpu::", "use super::"].iter().any(|path| line.starts_with(path))
            })
            .collect();
        assert!(foreign.is_empty(), "{name}: {foreign:?}");
        assert!(!expansion.contains("unsafe"), "{name}");
    }
}
