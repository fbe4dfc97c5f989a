//! What the documents show is what the project does.

use std::collections::BTreeSet;
use std::path::Path;

use optimizer_specs::ir::KernelKind;
use optimizer_specs::parse::parse_file;
use optimizer_specs::standard;
use optirs_gpu_tests::compiled::{RuleFile, rules};
use optirs_gpu_tests::formulas;
use optirs_gpu_tests::golden::mapping::{KNOWN_DIFFERENCES, runner};
use optirs_gpu_tests::golden::trajectory::Trajectory;

/// The README's fenced block of a language.
fn block<'a>(readme: &'a str, fence: &str) -> &'a str {
    let (_, after) = readme.split_once(fence).unwrap();
    after.split_once("```").unwrap().0
}

#[test]
fn the_readmes_wgsl_is_what_its_rule_becomes() {
    let readme = include_str!("../../README.md");
    let mut rules = parse_file(block(readme, "```rust\n")).unwrap();
    let (attribute, item) = rules.pop().unwrap();
    let compiled = optimizer_specs::compile(attribute, item).unwrap();
    let variant = &compiled.variants[compiled.default_variant];
    let emitted = optimizer_specs::emit::wgsl::program(&compiled.rule, variant, &variant.programs[0]);
    let shown = block(readme, "```wgsl\n");
    assert!(shown.lines().count() > 10);
    assert!(emitted.contains(shown), "the README shows\n{shown}\nbut the rule becomes\n{emitted}");
}

/// The first paragraph of a rule's documentation, without its full stop.
fn summary(source: &str) -> String {
    let lines = source.lines().map_while(|line| line.strip_prefix("///")).map(str::trim);
    let words: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
    words.join(" ").trim_end_matches('.').to_owned()
}

/// The least and the greatest of numbers, once if they are the same.
fn span(numbers: impl Iterator<Item = usize> + Clone) -> String {
    match (numbers.clone().min(), numbers.max()) {
        (Some(least), Some(most)) if least != most => format!("{least}–{most}"),
        (least, _) => least.unwrap_or_default().to_string(),
    }
}

/// By rule and library, whose trajectories are in the golden folder and pass.
fn proofs() -> BTreeSet<(&'static str, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut proofs = BTreeSet::new();
    for path in paths.filter(|path| path.extension().is_some_and(|extension| extension == "json")) {
        if KNOWN_DIFFERENCES.iter().any(|(stem, ..)| path.file_stem().is_some_and(|file| file == *stem)) {
            continue;
        }
        let trajectory = Trajectory::read(&path).unwrap();
        let runner = runner(&trajectory.library, &trajectory.optimizer, &trajectory.hyper).unwrap();
        proofs.extend(runner.map(|runner| (runner.rule, trajectory.library)));
    }
    proofs
}

fn row(rule: &RuleFile, source: &str, proofs: &BTreeSet<(&str, String)>) -> String {
    let name = rule.name();
    let compiled = &rule.compiled;
    let states = compiled.variants.iter().map(|variant| variant.element_states.len());
    let bytes = compiled.variants.iter().map(|variant| variant.programs[0].bytes_per_element as usize);
    let passes = compiled
        .variants
        .iter()
        .map(|variant| variant.programs[0].kernels.iter().filter(|kernel| kernel.kind == KernelKind::Pass).count());
    let mut by: Vec<&str> =
        proofs.iter().filter(|(rule, _)| *rule == name).map(|(_, library)| library.as_str()).collect();
    if formulas::CHECKS.iter().any(|(rule, _)| *rule == name) {
        by.push("its formula in f64");
    }
    assert!(!by.is_empty(), "`{name}` is proven against nothing");
    let (states, bytes, passes, by) = (span(states), span(bytes), span(passes), by.join(", "));
    let ty = format!("Gpu{}", compiled.rule.base_name);
    format!("| `{ty}` | {} | {states} | {bytes} | {passes} | {by} |\n", summary(source))
}

#[test]
fn the_readmes_table_of_rules_is_what_they_are() {
    let mut table = String::from(
        "| type | is | states per element | bytes per element | passes | proven against |\n|---|---|---|---|---|---|\n",
    );
    let (rules, proofs) = (rules(), proofs());
    for (name, source) in standard::ALL {
        let rule = rules.iter().find(|rule| rule.name() == *name).unwrap();
        table += &row(rule, source, &proofs);
    }
    let readme = include_str!("../../README.md");
    assert!(readme.contains(&table), "the README's table of rules should be\n{table}");
}
