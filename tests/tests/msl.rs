//! The Metal sources, compiled as C++ through a shim of `metal_stdlib` and run, kernel by kernel, against the interpreter,
//! and against what naga makes of the WGSL for Metal: the same bits.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use optimizer_specs::options;
use optirs_gpu_tests::compiled::{Case, rules};
use optirs_gpu_tests::kernels::shim::launch;
use optirs_gpu_tests::kernels::step::{self, Step};
use optirs_gpu_tests::kernels::{Arena, Source, naga_metal, shim, unite, unite_kernels};
use optirs_gpu_tests::parity::{Data, Model, Random, StepInputs, hypers};

/// Tensors whose lengths end before, at and behind the ends of quads, of a workgroup's lanes and of chunks.
const LENGTHS: [usize; 6] = [1, 63, 64, 4097, 20_001, 1023];

/// Compiles beside the other build products.
fn compile(name: &str, source: &str) -> Result<PathBuf, String> {
    shim::compile(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("msl"), name, source)
}

/// The executable that runs the kernels of all rules, by the place of a program among all cases. Compiled once.
fn executable() -> &'static Path {
    static EXECUTABLE: OnceLock<PathBuf> = OnceLock::new();
    EXECUTABLE.get_or_init(|| {
        let rules = rules();
        let programs: Vec<_> = rules.iter().flat_map(|rule| rule.cases()).map(Source::of).collect();
        compile("kernels", &unite(&programs)).unwrap_or_else(|report| panic!("{report}"))
    })
}

/// The executable of what naga makes of the WGSL of all rules, by the same places.
fn executable_of_naga() -> &'static Path {
    static EXECUTABLE: OnceLock<PathBuf> = OnceLock::new();
    EXECUTABLE.get_or_init(|| {
        let rules = rules();
        let programs = rules.iter().flat_map(|rule| rule.cases()).map(naga_metal::kernels);
        compile("naga", &unite_kernels(programs)).unwrap_or_else(|report| panic!("{report}"))
    })
}

/// A program run twice in the interpreter, from a start drawn by the seed.
fn steps(case: Case<'_>, seed: u64) -> Vec<Step<'_>> {
    let combinations = options::combinations(case.rule).unwrap();
    let chosen = combinations.iter().find(|chosen| chosen.labels(case.rule) == case.variant.options).unwrap();
    let values = hypers::values(case.rule, chosen, &mut Random::new(seed));
    let mut data = Data::new(&LENGTHS, seed);
    let (shapes, params) = (data.shapes(), data.params());
    let memory = Model::new(case.rule, case.variant, &values, &shapes, &params).memory;
    let runs = [case.program; 2].map(|program| (program, StepInputs::next(case.rule, &mut data)));
    step::steps(case.rule, case.variant, memory, runs)
}

/// The first difference between the kernels and the interpreter in some steps from a start drawn by the seed.
fn difference(executable: &Path, number: usize, seed: u64, case: Case<'_>) -> Option<String> {
    let run = |step: &Step<'_>| match step.run_by(|arena, buffers| Ok(launch(executable, number, case, arena, buffers)))
    {
        Ok(found) => step::difference(&found, step.after.as_ref().unwrap()),
        Err(what) => Some(what),
    };
    (1..).zip(&steps(case, seed)).find_map(|(number, step)| Some(format!("step {number}: {}", run(step)?)))
}

/// What the kernels change in a step with a gradient that is not finite.
fn changes_with_found_inf(executable: &Path, number: usize, case: Case<'_>) -> bool {
    let step = &steps(case, 1)[0];
    let arena = Arena::new(case, &step.before);
    let before = arena.pack(&step.before, true);
    before != launch(executable, number, case, &arena, &before)
}

#[test]
fn kernels_compute_what_the_interpreter_computes() {
    let rules = rules();
    for (number, case) in rules.iter().flat_map(|rule| rule.cases()).enumerate() {
        let difference = difference(executable(), number, number as u64, case);
        assert_eq!(difference, None, "{} {}", case.rule.name, case.label());
    }
}

/// The first word of any buffer in which two executables differ after the second of two steps. In each the program has a
/// place.
fn disagreement(executables: [(&Path, usize); 2], seed: u64, case: Case<'_>) -> Option<String> {
    let step = steps(case, seed).pop().unwrap();
    let arena = Arena::new(case, &step.before);
    let before = arena.pack(&step.before, false);
    let [own, other] = executables.map(|(executable, number)| launch(executable, number, case, &arena, &before));
    (0..).zip(own.iter().zip(&other)).find_map(|(role, (own, other))| {
        let word = own.iter().zip(other).position(|(own, other)| own != other)?;
        Some(format!("word {word} of role {role}: {:#x}, {:#x}", own[word], other[word]))
    })
}

/// No difference is allowed for: both sources have the same operations in the same order, of whose results none is NaN.
#[test]
fn nagas_translation_of_the_wgsl_computes_the_same() {
    let rules = rules();
    for (number, case) in rules.iter().flat_map(|rule| rule.cases()).enumerate() {
        let executables = [executable(), executable_of_naga()].map(|executable| (executable, number));
        let disagreement = disagreement(executables, number as u64, case);
        assert_eq!(disagreement, None, "{} {}: our source, naga's", case.rule.name, case.label());
    }
}

#[test]
fn nothing_is_written_where_a_gradient_is_not_finite() {
    let rules = rules();
    for (number, case) in rules.iter().flat_map(|rule| rule.cases()).enumerate() {
        assert!(!changes_with_found_inf(executable(), number, case), "{} {}", case.rule.name, case.label());
    }
}

/// A rule, what to replace in its Metal source, and by what.
const HARMS: [(&str, &str, &str); 9] = [
    // The tail of a tensor is not masked.
    ("adam", "select(param, param_new, inside)", "param_new"),
    ("lamb", "select(float4(0.0f), square(u), inside)", "square(u)"),
    ("adam", "4u * quad < chunk.x", "4u * quad + 3u < chunk.x"),
    // Two states are swapped.
    ("adam", "= states[m_start", "= states[v_start"),
    // Another record is read.
    ("adam", "rows[tensor.x]", "rows[0]"),
    ("adam", "chunks[tensor_index + 1u].z", "1"),
    // Sums are taken in another order, or not to the end.
    ("lamb", "(x.x + x.y) + (x.z + x.w)", "x.x + x.y + x.z + x.w"),
    ("lamb", "stride > 0u", "stride > 1u"),
    ("lamb", "place < range.y", "place + 1u < range.y"),
];

#[test]
fn harm_is_noticed() {
    let rules = rules();
    let harmed: Vec<_> = HARMS
        .iter()
        .map(|(name, from, to)| {
            let rule = rules.iter().find(|rule| rule.name() == *name).unwrap();
            let Source { case, metal } = Source::of(rule.cases().next().unwrap());
            assert!(metal.contains(from), "{name} does not hold `{from}`");
            Source { case, metal: metal.replace(from, to) }
        })
        .collect();
    let executable = compile("harmed", &unite(&harmed)).unwrap_or_else(|report| panic!("{report}"));
    for (number, (harmed, (name, from, to))) in harmed.iter().zip(HARMS).enumerate() {
        // Another order of a sum shows in its last bit alone, and not in every sum: some draws are needed.
        let noticed = (0..8).any(|seed| difference(&executable, number, seed, harmed.case).is_some());
        assert!(noticed, "{name}: `{from}` became `{to}`");
        let is_same = |case: &Case<'_>| case.rule.name == harmed.case.rule.name && case.label() == harmed.case.label();
        let place = rules.iter().flat_map(|rule| rule.cases()).position(|case| is_same(&case)).unwrap();
        let executables = [(executable.as_path(), number), (executable_of_naga(), place)];
        let noticed = (0..8).any(|seed| disagreement(executables, seed, harmed.case).is_some());
        assert!(noticed, "{name}: `{from}` became `{to}`, and naga's is the same");
    }
}

#[test]
fn a_kernel_that_ignores_found_inf_is_noticed() {
    let rules = rules();
    let lamb = rules.iter().find(|rule| rule.name() == "lamb").unwrap();
    let Source { case, metal } = Source::of(lamb.cases().next().unwrap());
    let [pass, finish] = [(" || scalars[0] != 0u", ""), (" && scalars[0] == 0u", "")]
        .map(|(from, to)| Source { case, metal: metal.replace(from, to) });
    let executable = compile("careless", &unite(&[pass, finish])).unwrap_or_else(|report| panic!("{report}"));
    assert!(changes_with_found_inf(&executable, 0, case));
    assert!(changes_with_found_inf(&executable, 1, case));
}
