//! Golden sources, checked in so that a change of the compiler shows what it does to every shader. The build never
//! reads them. `UPDATE_EXPECT=1 cargo test -p optirs-gpu-tests --test shaders` writes them.
//!
//! Not of all rules: of those that show each thing that a kernel can hold. What all of them cost is in `costs.txt`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use expect_test::expect_file;
use optimizer_specs::checked::Rule;
use optimizer_specs::emit::{host, msl, rust_cpu, wgsl};
use optimizer_specs::ir::{KernelKind, Program, Variant};
use optimizer_specs::layout;
use optimizer_specs::standard;
use optirs_gpu_tests::compiled::{Case, RuleFile, rules};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden_sources")
}

/// Prints a program for one target.
type Emit = fn(&Rule, &Variant, &Program) -> String;

/// What a program becomes, by the extension of its file.
const TARGETS: [(&str, Emit); 4] =
    [("wgsl", wgsl::program), ("metal", msl::program), ("cpu.rs", rust_cpu::program), ("host.rs", host::program)];

/// Standard rules that are golden under every combination of options.
const WITH_ALL_OPTIONS: [&str; 6] = ["adagrad", "adam", "adamw", "lamb", "rmsprop", "sgd"];

/// Standard rules that are golden with their default options: those of a count over the tensor, of powers, of three
/// passes, of cube roots, of a tensor's state, of states of all tensors, of entries, of an input and a scalar.
const WITH_DEFAULTS: [&str; 8] =
    ["cautious_adamw", "ftrl", "lamb_apex", "madgrad", "novograd", "prodigy", "schedule_free_adamw", "sophia"];

/// The golden programs of a rule. Those of the tests have the default options; what runs around rules has all.
fn golden(rule: &RuleFile) -> Vec<Case<'_>> {
    let (name, default) = (rule.name(), &rule.compiled.variants[rule.compiled.default_variant].options);
    let is_around_rules = standard::PROGRAMS.iter().any(|(program, _)| *program == name);
    if is_around_rules || rule.is_standard && WITH_ALL_OPTIONS.contains(&name.as_str()) {
        return rule.cases().collect();
    }
    let is_golden = !rule.is_standard || WITH_DEFAULTS.contains(&name.as_str());
    rule.cases().filter(|case| is_golden && case.variant.options == *default).collect()
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
