//! The planner and `explain` on every rule of the repository, from its source.

use std::fs;
use std::path::{Path, PathBuf};

use optimizer_specs::compile::{Compiled, compile};
use optimizer_specs::ir::{Cell, KernelKind, Names, Program};
use optimizer_specs::{explain, parse, plan};

/// The rules of a source, compiled.
pub fn compiled(source: &str) -> Vec<Compiled> {
    let items = parse::parse_file(source).expect("Rust syntax");
    items.into_iter().map(|(attribute, item)| compile(attribute, item).expect("a right rule")).collect()
}

/// A rule of the repository, by its file's name.
pub fn rule(name: &str) -> Compiled {
    let path = paths().into_iter().find(|path| path.file_stem().is_some_and(|stem| stem == name));
    read(&path.expect("a rule of that name")).remove(0)
}

fn read(path: &Path) -> Vec<Compiled> {
    compiled(&fs::read_to_string(path).expect("a readable rule"))
}

fn paths() -> Vec<PathBuf> {
    let folders = ["specs", "../tests/rules"].map(|folder| Path::new(env!("CARGO_MANIFEST_DIR")).join(folder));
    let files = folders.iter().flat_map(|folder| fs::read_dir(folder).expect("a folder of rules"));
    let mut paths: Vec<_> = files.map(|entry| entry.expect("a file").path()).collect();
    paths.sort();
    paths
}

/// All rules of the repository.
pub fn every_rule() -> Vec<Compiled> {
    paths().iter().flat_map(|path| read(path)).collect()
}

fn passes(program: &Program) -> usize {
    program.kernels.iter().filter(|kernel| kernel.kind == KernelKind::Pass).count()
}

#[test]
fn every_program_of_the_repository_verifies() {
    let mut programs = 0;
    for rule in every_rule() {
        for variant in &rule.variants {
            for program in &variant.programs {
                assert_eq!(plan::verify(program, &variant.all, &variant.tensor), Ok(()), "{}", rule.rule.name);
                programs += 1;
            }
        }
    }
    assert!(programs > 50, "{programs}");
}

/// Rule; of `update` with the default options: bytes per element, passes, finishes, legal plans.
const EXPECTED: [(&str, u32, usize, usize, usize); 17] = [
    ("sgd", 12, 1, 0, 1),
    ("adam", 28, 1, 0, 1),
    ("adamw", 28, 1, 0, 1),
    ("rmsprop", 20, 1, 0, 1),
    ("adagrad", 20, 1, 0, 1),
    ("lamb", 40, 2, 1, 4),
    ("adafactor_1d", 32, 2, 1, 2),
    ("cautious_adamw", 36, 2, 1, 4),
    ("lamb_apex", 44, 3, 3, 8),
    ("lion_trust", 32, 2, 1, 1),
    ("nadam", 28, 1, 0, 1),
    ("novograd", 24, 2, 1, 1),
    ("prodigy", 48, 2, 3, 8),
    ("radam", 28, 1, 0, 1),
    ("schedule_free_adamw", 28, 1, 0, 1),
    ("sophia", 24, 1, 0, 1),
    ("stable_spam", 36, 3, 2, 1),
];

#[test]
fn bytes_and_kernels_of_each_rule() {
    let found = EXPECTED.map(|(name, ..)| {
        let rule = rule(name);
        let program = &rule.variants[rule.default_variant].programs[0];
        let passes = passes(program);
        (name, program.bytes_per_element, passes, program.kernels.len() - passes, program.plan.legal)
    });
    assert_eq!(found, EXPECTED);
}

#[test]
fn a_later_pass_reads_the_new_distance_of_prodigy() {
    let rule = rule("prodigy");
    let program = &rule.variants[rule.default_variant].programs[0];
    let names = Names::of(&rule.rule);
    let d = program.graph.stores.iter().find(|store| names.cell(store.cell) == "d").expect("d changes");
    assert!(matches!(d.cell, Cell::AllState(_)));
    let finish = program.kernels.iter().find(|kernel| kernel.kind == KernelKind::FinishAll).expect("totals");
    assert!(finish.writes.iter().any(|write| write.node == d.value));
}

/// Corners of the boxes of a picture, without the frames of its columns and the legend's samples.
fn boxes(svg: &str) -> Vec<[f64; 4]> {
    let number = |line: &str, name: &str| -> f64 {
        let start = line.find(&format!(" {name}=\"")).expect("the attribute") + name.len() + 3;
        let end = line[start..].find('"').expect("its end") + start;
        line[start..end].parse().expect("a number")
    };
    let rects = svg.lines().filter(|line| line.starts_with("<rect x=") && !line.contains("rx=\"8\""));
    let corners = rects.map(|line| {
        let (x, y) = (number(line, "x"), number(line, "y"));
        [x, y, x + number(line, "width"), y + number(line, "height")]
    });
    corners.collect()
}

#[test]
fn no_boxes_of_a_picture_overlap() {
    for rule in every_rule() {
        let (title, names) = (rule.rule.name.to_string(), Names::of(&rule.rule));
        for variant in &rule.variants {
            for program in &variant.programs {
                let svg = explain::svg(&title, &names, variant, program);
                assert_eq!(svg, explain::svg(&title, &names, variant, program), "{title}");
                let boxes = boxes(&svg);
                assert!(boxes.len() > 2 * passes(program), "{title}");
                for (index, [left, top, right, bottom]) in boxes.iter().enumerate() {
                    let overlaps = |other: &[f64; 4]| {
                        left < &other[2] && &other[0] < right && top < &other[3] && &other[1] < bottom
                    };
                    let other = boxes[index + 1..].iter().find(|other| overlaps(other));
                    assert_eq!(other, None, "{title}: {left} {top} {right} {bottom}");
                }
            }
        }
    }
}
