//! The planner on every rule of the repository, from its source.

use std::fs;
use std::path::{Path, PathBuf};

use optimizer_specs::ir::{KernelKind, Names, Variant};
use optimizer_specs::{check, lower, parse, plan};

/// The variants of the rule in a file, planned.
pub fn compiled(path: &Path) -> (Names, Vec<Variant>) {
    let source = fs::read_to_string(path).expect("a readable rule");
    let mut items = parse::parse_file(&source).expect("Rust syntax");
    let (attribute, item) = items.remove(0);
    let rule = parse::parse(attribute, item).expect("a rule");
    let (rule, _) = check::check(&rule).expect("a right rule");
    let (variants, _) = lower::lower(&rule).expect("a rule that lowers");
    let names = Names::of(&rule);
    let variants = variants.into_iter().map(|variant| plan::variant(variant, &names)).collect();
    (names, variants)
}

fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

pub fn standard(name: &str) -> (Names, Vec<Variant>) {
    compiled(&repository().join("optimizer-specs/specs").join(format!("{name}.rs")))
}

fn paths() -> Vec<PathBuf> {
    let folders = ["optimizer-specs/specs", "tests/rules"].map(|folder| repository().join(folder));
    let files = folders.iter().flat_map(|folder| fs::read_dir(folder).expect("a folder of rules"));
    let mut paths: Vec<_> = files.map(|entry| entry.expect("a file").path()).collect();
    paths.sort();
    paths
}

/// Rule, variants, and of the first variant with the most passes: bytes per element, passes, finishes.
const EXPECTED: &str = "";

#[test]
fn every_rule_of_the_repository_is_planned() {
    let mut lines = String::new();
    for path in paths() {
        let (_, variants) = compiled(&path);
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let mut planned: Vec<String> = Vec::new();
        for program in variants.iter().flat_map(|variant| &variant.programs) {
            let of_kind = |pass| program.kernels.iter().filter(|k| (k.kind == KernelKind::Pass) == pass).count();
            let line = format!(
                "{} {} bytes, {} + {} kernels, {} legal",
                program.graph.name,
                program.bytes_per_element,
                of_kind(true),
                of_kind(false),
                program.plan.legal
            );
            if !planned.contains(&line) {
                planned.push(line);
            }
        }
        lines += &format!("{name}: {} variants\n", variants.len());
        for variant in &variants {
            for program in &variant.programs {
                assert_eq!(plan::verify(program, &variant.all, &variant.tensor), Ok(()), "{name}");
            }
        }
        planned.iter().for_each(|line| lines += &format!("    {line}\n"));
    }
    println!("{lines}");
    assert!(!lines.is_empty());
    let _ = EXPECTED;
}

#[test]
fn show_pictures() {
    for path in paths() {
        let (names, variants) = compiled(&path);
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        fs::create_dir_all("/tmp/svg").expect("x");
        let svg = optimizer_specs::explain::svg(&name, &names, &variants[0], &variants[0].programs[0]);
        fs::write(format!("/tmp/svg/{name}.svg"), svg).expect("x");
    }
}
