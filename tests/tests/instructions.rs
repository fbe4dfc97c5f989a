//! Passes compute the bits of the interpreter with all instructions that they are compiled for, every rule's, compiled as
//! for a release: only then do they take more than one number at a time.

use std::io::Write;
use std::path::Path;

use optirs_gpu::rule::cpu::Instructions;
use optirs_gpu_tests::compiled::rules;
use optirs_gpu_tests::random::run::cpu::{Build, check};
use optirs_gpu_tests::random::subject::Subject;

/// The first has numbers among its gradients on which arithmetic goes wrong, the second longer tensors. Lengths end before,
/// at and behind the ends of vectors, of blocks and of chunks.
const SEEDS: [u64; 2] = [1, 4];

#[test]
fn passes_have_one_result_whatever_they_are_compiled_for() {
    let available: Vec<_> = Instructions::available().collect();
    if cfg!(target_arch = "x86_64") && available.len() < 3 {
        // Past the test harness, which keeps to itself what a passing test prints. Where nobody listens, so be it.
        let _ =
            writeln!(std::io::stdout(), "SKIP: of the instructions for passes this processor has only {available:?}");
    }
    let subject =
        |seed| rules().into_iter().map(move |file| Subject { seed, text: file.name(), compiled: file.compiled });
    let subjects: Vec<_> = SEEDS.into_iter().flat_map(subject).collect();
    let subjects: Vec<_> = subjects.iter().collect();
    let wrong = check(&subjects, Build::Optimized, &Path::new(env!("CARGO_TARGET_TMPDIR")).join("instructions"));
    let said: Vec<_> = wrong.iter().map(|(place, what)| format!("{}: {what}", subjects[*place].text)).collect();
    assert!(said.is_empty(), "{}", said.join("\n"));
}
