//! Every option matters: toggled alone, it changes what is computed.

use optimizer_specs::checked::HyperValue;
use optimizer_specs::ir::{Cell, Program};
use optimizer_specs::options::{Combination, combinations};
use optirs_gpu::Device;
use optirs_gpu_tests::parity::{Random, StepInputs, TestRule, hypers, test_rules};

/// How many choices of the other hyper-parameters are tried: an option may do nothing under some of them.
const TRIES: u64 = 200;

#[test]
fn every_option_toggled_changes_the_result() {
    let mut toggled = 0;
    for rule in test_rules() {
        let combinations = combinations(&rule.file.compiled.rule).expect("the rule compiled");
        for (index, first) in combinations.iter().enumerate() {
            for second in &combinations[index + 1..] {
                if differing(first, second) == 1 {
                    let differs = (0..TRIES).any(|seed| differs(&rule, first, second, seed));
                    assert!(differs, "`{}`: {first:?} and {second:?} compute the same", rule.expanded.name());
                    toggled += 1;
                }
            }
        }
    }
    assert!(toggled > 50, "only {toggled} pairs");
}

fn differing(first: &Combination, second: &Combination) -> usize {
    first.choices.iter().zip(&second.choices).filter(|(a, b)| a != b).count()
}

/// Whether the parameters end up different, or the states where a program leaves parameters alone, all other hyper-parameters being equal.
fn differs(rule: &TestRule, first: &Combination, second: &Combination, seed: u64) -> bool {
    let values = |combination| hypers::values(&rule.file.compiled.rule, combination, &mut Random::new(seed));
    let (one, mut other) = (values(first), values(second));
    for (index, value) in other.iter_mut().enumerate() {
        if first.choice(index as u32) == second.choice(index as u32) {
            value.clone_from(&one[index]);
        }
    }
    let one_sign = seed % 2 == 1;
    match (trained(rule, &one, one_sign), trained(rule, &other, one_sign)) {
        (Some(one), Some(other)) => one != other,
        _ => false,
    }
}

/// The parameters after five steps, if asked for on gradients of one sign: estimates of a distance grow on them. None where
/// the rule refuses the hyper-parameters.
fn trained(rule: &TestRule, values: &[HyperValue], one_sign: bool) -> Option<Vec<Vec<u32>>> {
    rule.expanded.variant(values)?;
    let mut data = rule.data(&[40, 3], 8);
    let (shapes, params) = (data.shapes(), data.params());
    let mut training = rule.expanded.open(&Device::cpu(), values, &shapes, &params).ok()?;
    for _ in 0..5 {
        for program in &rule.file.compiled.variants[0].programs {
            let mut inputs = StepInputs::next(&rule.file.compiled.rule, &mut data);
            if one_sign {
                inputs.gradients.iter_mut().flatten().for_each(|value| *value = value.abs());
            }
            training.run(&program.graph.name, &inputs).ok()?;
        }
    }
    let stores = |program: &Program| program.graph.stores.iter().any(|store| store.cell == Cell::Param);
    let moves = rule.file.compiled.variants[0].programs.iter().any(stores);
    let cells = training.cells().ok()?.into_iter().filter(|(name, _)| !moves || name.starts_with("param"));
    Some(cells.map(|(_, values)| values.into_iter().map(f32::to_bits).collect()).collect())
}
