//! Golden sources, checked in so that a change of the compiler shows what it does to every shader. The build never
//! reads them. `UPDATE_EXPECT=1 cargo test -p optirs-gpu-tests --test shaders` writes them.
//!
//! Standard rules: every entry under every combination of options. Rules of the tests: with their default options.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use expect_test::expect_file;
use optimizer_specs::checked::Rule;
use optimizer_specs::emit::{host, msl, rust_cpu, wgsl};
use optimizer_specs::ir::{KernelKind, Program, Variant};
use optimizer_specs::layout;
use optirs_gpu_tests::compiled::{Case, RuleFile, rules};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden_sources")
}

/// Prints a program for one target.
type Emit = fn(&Rule, &Variant, &Program) -> String;

/// What a program becomes, by the extension of its file.
const TARGETS: [(&str, Emit); 4] =
    [("wgsl", wgsl::program), ("metal", msl::program), ("cpu.rs", rust_cpu::program), ("host.rs", host::program)];

/// The golden programs of a rule.
fn golden(rule: &RuleFile) -> Vec<Case<'_>> {
    let default = &rule.compiled.variants[rule.compiled.default_variant].options;
    rule.cases().filter(|case| rule.is_standard || case.variant.options == *default).collect()
}

#[test]
fn sources_are_as_checked_in() {
    let mut files = BTreeSet::new();
    for rule in &rules() {
        for case in golden(rule) {
            for (target, program) in TARGETS {
                let source = program(case.rule, case.variant, case.program);
                let file = folder().join(rule.name()).join(format!("{}.{target}", case.label()));
                std::fs::create_dir_all(file.parent().unwrap()).unwrap();
                expect_file![&file].assert_eq(&source);
                files.insert(file);
            }
        }
    }
    for file in checked_in() {
        assert!(files.contains(&file), "{} belongs to no rule: delete it", file.display());
    }
}

fn checked_in() -> Vec<PathBuf> {
    let folders = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    folders.flat_map(|folder| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path())).collect()
}

/// What each program costs, as numbers.
#[test]
fn costs_are_as_checked_in() {
    let mut text = String::from("bytes = moved per element. words = of a row; of a chunk's partial record.\n\n");
    text += &format!(
        "{:<22} {:>6} {:>10} {:>5} {:>8} {:>9} {:>13}  {}\n",
        "rule", "passes", "dispatches", "bytes", "bindings", "row words", "partial words", "entry and options"
    );
    for rule in &rules() {
        for case in rule.cases() {
            let kernels = &case.program.kernels;
            let passes = kernels.iter().filter(|kernel| kernel.kind == KernelKind::Pass).count();
            let bindings = kernels.iter().map(|kernel| layout::bindings(kernel).len()).max().unwrap_or(0);
            text += &format!(
                "{:<22} {:>6} {:>10} {:>5} {:>8} {:>9} {:>13}  {}\n",
                rule.name(),
                passes,
                kernels.len(),
                case.program.bytes_per_element,
                bindings,
                case.program.row.len(),
                case.program.partial_words,
                case.label()
            );
        }
    }
    std::fs::create_dir_all(folder()).unwrap();
    expect_file![folder().join("costs.txt")].assert_eq(&text);
}
