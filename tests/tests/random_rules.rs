//! 200 random rules, the same on every run, run by all means beside the interpreter. For more of them:
//! `cargo run -p optirs-gpu-tests --example random_rules -- 10000`.

use std::path::Path;

use optirs_gpu_tests::kernels::Gpu;
use optirs_gpu_tests::random::features::FEATURES;
use optirs_gpu_tests::random::hunt::{Hunt, Means};
use optirs_gpu_tests::random::subject::Subject;
use optirs_gpu_tests::random::{broken, generate};

/// The rules of the suite.
const SEEDS: std::ops::Range<u64> = 0..200;

fn hunt(means: &[Means], gpu: Option<Gpu>) -> Hunt {
    let name: String = means.iter().map(|means| format!("{means:?}")).collect();
    let mut hunt = Hunt::new(Path::new(env!("CARGO_TARGET_TMPDIR")).join("random").join(name), gpu, None);
    let findings: Vec<_> = hunt.run(SEEDS, means).iter().map(ToString::to_string).collect();
    assert!(findings.is_empty(), "{} of {}:\n{}", findings.len(), hunt.rules, findings.join("\n"));
    assert_eq!(hunt.rules, 200);
    hunt
}

#[test]
fn rules_make_use_of_the_whole_language() {
    let subjects: Vec<_> = SEEDS.map(|seed| Subject::new(seed, &generate::rule(seed)).unwrap()).collect();
    let counts = FEATURES.map(|(name, holds)| (subjects.iter().filter(|subject| holds(subject)).count(), name));
    assert!(counts.iter().all(|(count, _)| *count >= 5), "{counts:?}");
}

#[test]
fn every_plan_gives_the_bits_of_the_graph() {
    let hunt = hunt(&[Means::Compiler, Means::Plans], None);
    assert!(hunt.programs > 400, "{}", hunt.programs);
    assert!(hunt.ended < 10, "{} rules end early", hunt.ended);
}

#[test]
fn naga_takes_what_the_compiler_takes() {
    hunt(&[Means::Naga], None);
}

#[test]
fn metal_sources_give_the_bits_of_the_interpreter() {
    hunt(&[Means::Metal], None);
}

#[test]
fn generated_rust_gives_the_bits_of_the_interpreter() {
    hunt(&[Means::Cpu], None);
}

#[test]
fn wgsl_stays_inside_the_bound() {
    let Some(gpu) = Gpu::open() else { return };
    let compared = hunt(&[Means::Wgsl], Some(gpu)).compared;
    println!("{compared:?}");
    assert!(compared.numbers > 100_000 && compared.unbounded * 5 < compared.numbers, "{compared:?}");
}

#[test]
fn whatever_stands_there_the_compiler_answers() {
    let mut counts = [0; 3];
    for seed in 0..1500 {
        let text = broken::text(seed);
        let answer = broken::check(&text).unwrap_or_else(|what| panic!("seed {seed}: {what}\n{text}"));
        counts[answer as usize] += 1;
    }
    println!("{counts:?}");
    // That they get to every stage.
    assert!(counts.iter().all(|count| *count > 50), "{counts:?}");
}
