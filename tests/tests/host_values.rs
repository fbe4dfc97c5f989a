//! What the host computes per step: known bits, and generated rows equal to the interpreter's.

use std::collections::BTreeMap;

use optimizer_specs::interp::{Error, Memory, Tensor, host_states, row_words};
use optimizer_specs::ir::Program;
use optirs_gpu_tests::parity::table::RowInputs;
use optirs_gpu_tests::parity::{Random, Setup, TestRule, hypers, test_rules};
use proptest::prelude::*;

fn rule(name: &str) -> TestRule {
    test_rules().into_iter().find(|rule| rule.expanded.name() == name).expect("a rule of that name")
}

fn inputs(step: u64) -> RowInputs {
    let clip_value = f64::INFINITY;
    RowInputs { step, run: step, shape: vec![3, 4], all_len: 12, scalars: Vec::new(), grad_scale: 1.0, clip_value }
}

/// A field of LAMB's row with the default hyper-parameters.
fn lamb_field(field: &str, step: u64) -> u32 {
    let rule = rule("lamb");
    let program = &rule.file.compiled.variants[0].programs[0];
    let values: Vec<_> = rule.file.compiled.rule.hypers.iter().map(|hyper| hyper.default.clone()).collect();
    let (words, _) = rule.expanded.row(&values, 0, &inputs(step), &[]).expect("finite values");
    words[program.row.iter().position(|known| known.name == field).expect("a field of that name")]
}

#[test]
fn one_minus_beta2_is_that_of_the_decimal() {
    // Of the f32 nearest to 0.999 it would be 3a831200.
    assert_eq!(lamb_field("one_minus_beta2", 1), 0x3a83_126f);
    assert_eq!(lamb_field("one_minus_beta1", 1), 0x3dcc_cccd);
    assert_eq!(lamb_field("beta2", 1), 0x3f7f_be77);
}

#[test]
fn bias_corrections_are_exact_at_any_step() {
    for (step, bias1, bias2) in [
        (1, 0x3dcc_cccd, 0x3a83_126f),
        (10, 0x3f26_bd02, 0x3c23_1acc),
        (1000, 0x3f80_0000, 0x3f21_deb6),
        (1_000_000, 0x3f80_0000, 0x3f80_0000),
    ] {
        assert_eq!((lamb_field("bias1", step), lamb_field("bias2", step)), (bias1, bias2), "step {step}");
    }
}

#[test]
fn a_value_that_is_not_finite_names_its_expression() {
    let rule = rule("lamb");
    let values: Vec<_> = rule.file.compiled.rule.hypers.iter().map(|hyper| hyper.default.clone()).collect();
    let error = rule.expanded.row(&values, 0, &RowInputs { grad_scale: 1e39, ..inputs(1) }, &[]).unwrap_err();
    assert_eq!((error.expression, error.value), ("grad_scale", 1e39));
}

/// The interpreter's view of a step.
fn memory(setup: &Setup<'_>, inputs: &RowInputs, states: &[f64]) -> Memory<f32> {
    let tensor = |shape: &[usize]| Tensor {
        shape: shape.to_vec(),
        hypers: hypers::for_interpreter(&setup.values),
        step: inputs.step,
        grad_scale: inputs.grad_scale,
        clip_value: inputs.clip_value,
        clip: 1.0,
        grad: Vec::new(),
        inputs: Vec::new(),
        cells: BTreeMap::new(),
        host_states: setup.variant.host_states.iter().copied().zip(states.iter().copied()).collect(),
    };
    let others = inputs.all_len as usize - inputs.shape.iter().product::<usize>();
    let tensors = vec![tensor(&inputs.shape), tensor(&[others])];
    Memory { tensors, all: BTreeMap::new(), run: inputs.run, scalars: inputs.scalars.clone() }
}

fn compare(setup: &Setup<'_>, place: usize, program: &Program, inputs: &RowInputs, states: &[f64]) {
    let what = format!("{} {} {:?} {inputs:?}", setup.label(), program.graph.name, setup.values);
    let memory = memory(setup, inputs, states);
    let row = row_words(program, &memory, 0);
    let expected = row.and_then(|row| Ok((row, host_states(&program.graph, &memory, 0)?)));
    match (setup.expanded.row(&setup.values, place, inputs, states), expected) {
        (Ok((row, new_states)), Ok((expected, expected_states))) => {
            assert_eq!(row[..expected.len()], expected, "{what}");
            assert!(row[expected.len()..].iter().all(|&word| word == 0), "{what}: padding");
            for ((index, &old), &new) in setup.variant.host_states.iter().zip(states).zip(&new_states) {
                let expected = expected_states.get(index).copied().unwrap_or(old);
                assert_eq!(new.to_bits(), expected.to_bits(), "{what}: host state {index}");
            }
        }
        (Err(generated), Err(Error::NotRepresentable { value, .. })) => {
            assert!(generated.value == value || generated.value.is_nan() && value.is_nan(), "{what}: {generated:?}");
        }
        (generated, expected) => panic!("{what}: {generated:?} is generated, the interpreter says {expected:?}"),
    }
}

fn steps() -> impl Strategy<Value = u64> {
    prop_oneof![1..20_u64, 1000..100_000_u64, Just(1_000_000), Just(u64::from(u32::MAX) + 1)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn generated_rows_are_those_of_the_interpreter(
        seed: u64, step in steps(), ahead in 0..5_u64, grad_scale in prop_oneof![Just(1.0), Just(-1.0), 1e-6..1e6],
        clip_value in prop_oneof![Just(f64::INFINITY), 0.0..10.0],
    ) {
        thread_local!(static RULES: Vec<TestRule> = test_rules());
        RULES.with(|rules| for rule in rules {
            let mut random = Random::new(seed);
            let index = random.below(rule.file.compiled.variants.len() as u64) as usize;
            let mut setup = rule.setup(index, &mut random);
            let near = setup.values.clone();
            hypers::scatter(setup.rule, &mut setup.values, &mut random);
            if rule.expanded.variant(&setup.values) != Some(index) {
                setup.values = near;
            }
            let shape = [random.below(9) as usize + 1, random.below(9) as usize + 1];
            let inputs = RowInputs {
                step,
                run: step + ahead,
                all_len: shape.iter().product::<usize>() as u64 + random.below(100),
                shape: shape.to_vec(),
                scalars: setup.rule.scalars.iter().map(|_| 1.0 + random.real().abs()).collect(),
                grad_scale,
                clip_value,
            };
            let states: Vec<_> = setup.variant.host_states.iter().map(|_| random.fraction()).collect();
            for (place, program) in setup.programs().enumerate() {
                compare(&setup, place, program, &inputs, &states);
            }
        });
    }
}
