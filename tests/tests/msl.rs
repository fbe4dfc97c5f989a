//! The Metal sources, compiled as C++ through a shim of `metal_stdlib` and run, kernel by kernel, against the interpreter:
//! the same bits.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use optimizer_specs::interp::{Memory, execute};
use optimizer_specs::options;
use optirs_gpu_tests::compiled::{Case, rules};
use optirs_gpu_tests::kernels::shim::launch;
use optirs_gpu_tests::kernels::{Arena, Source, shim, unite};
use optirs_gpu_tests::parity::model::StepInputs;
use optirs_gpu_tests::parity::{Data, Model, Random, hypers};

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

/// The optimizer before its first step, with what its steps are fed.
fn start(case: Case<'_>, seed: u64) -> (Model<f32>, Data) {
    let mut data = Data::new(&LENGTHS, seed);
    let combination = options::combinations(case.rule)
        .unwrap()
        .into_iter()
        .find(|combination| combination.labels(case.rule) == case.variant.options)
        .unwrap();
    let values = hypers::values(case.rule, &combination, &mut Random::new(seed));
    let shapes = data.shapes();
    let params = data.params();
    (Model::new(case.rule, case.variant, &values, &shapes, &params), data)
}

/// Gives a step its inputs.
fn feed(memory: &mut Memory<f32>, case: Case<'_>, inputs: &StepInputs) {
    let counts = u64::from(case.program.graph.name == "update");
    memory.run += counts;
    memory.scalars.clone_from(&inputs.scalars);
    for (place, tensor) in memory.tensors.iter_mut().enumerate() {
        tensor.step += counts;
        tensor.grad.clone_from(&inputs.gradients[place]);
        tensor.inputs.clone_from(&inputs.inputs[place]);
        tensor.clip = [1.0, 0.5][place % 2];
        tensor.grad_scale = [1.0, -0.25, 3.0][place % 3];
    }
}

fn bits(memory: &Memory<f32>) -> Vec<(String, Vec<u32>)> {
    let canonical = |value: &f32| if value.is_nan() { f32::NAN.to_bits() } else { value.to_bits() };
    let tensors = memory.tensors.iter().enumerate().flat_map(|(place, tensor)| {
        let named = move |(cell, values): (_, &Vec<f32>)| {
            (format!("{cell:?}[{place}]"), values.iter().map(canonical).collect())
        };
        tensor.cells.iter().map(named)
    });
    let all = memory.all.iter().map(|(cell, value)| (format!("{cell:?}"), vec![canonical(value)]));
    tensors.chain(all).collect()
}

/// The first difference between the kernels and the interpreter in some steps from a start drawn by the seed.
fn difference(executable: &Path, number: usize, seed: u64, case: Case<'_>) -> Option<String> {
    let (mut model, mut data) = start(case, seed);
    (1..=2).find_map(|step| {
        feed(&mut model.memory, case, &StepInputs::next(case.rule, &mut data));
        let arena = Arena::new(case, &model.memory);
        let before = arena.pack(&model.memory, false);
        let after = launch(executable, number, case, &arena, &before);
        let mut found = model.memory.clone();
        arena.unpack(&after, &mut found);
        execute(case.program, &case.variant.all, &case.variant.tensor, &mut model.memory).unwrap();
        for ((name, found), (_, expected)) in bits(&found).iter().zip(&bits(&model.memory)) {
            if let Some(place) = found.iter().zip(expected).position(|(found, expected)| found != expected) {
                let [found, expected] = [found[place], expected[place]].map(f32::from_bits);
                return Some(format!("step {step}: {name} element {place} is {found:?}, not {expected:?}"));
            }
        }
        let [old, new] = [&before, &after].map(|buffers| arena.between_tensors(buffers, &model.memory));
        (old != new).then(|| format!("step {step}: something is written between tensors"))
    })
}

/// What the kernels change in a step with a gradient that is not finite.
fn changes_with_found_inf(executable: &Path, number: usize, case: Case<'_>) -> bool {
    let (mut model, mut data) = start(case, 1);
    feed(&mut model.memory, case, &StepInputs::next(case.rule, &mut data));
    let arena = Arena::new(case, &model.memory);
    let before = arena.pack(&model.memory, true);
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
