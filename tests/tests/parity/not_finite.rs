//! NaN and infinity in a gradient stay where they are: in their elements where the rule has no reductions, in their tensor
//! where it has none over all tensors. Rules that have some are seen to spread it.

use optimizer_specs::ir::{BinaryOp, Cell, Op, Program};
use optirs_gpu::device::GpuBackend;
use optirs_gpu::{Device, DeviceConfig};
use optirs_gpu_tests::devices::gpu;
use optirs_gpu_tests::parity::{Data, How, Model, Setup, StepInputs, test_rules};

use super::bits;

const LENGTHS: [usize; 3] = [65, 300, 7];
/// The tensor that is hit, and what its elements become.
const HIT: usize = 1;
const POISON: [(usize, f32); 3] = [(0, f32::NAN), (77, f32::INFINITY), (299, f32::NEG_INFINITY)];

/// Cells after two steps, of which the first has a gradient that is not finite.
fn trained(setup: &Setup<'_>, device: &Device, poisoned: bool) -> Vec<(String, Vec<u32>)> {
    let mut data = setup.data(&LENGTHS, 4);
    let mut training = setup.open(device, &mut data).unwrap_or_else(|error| panic!("{}: {error}", setup.label()));
    for inputs in inputs(setup, &mut data, poisoned) {
        for (program, inputs) in setup.programs().zip(&inputs) {
            let outcome = training.run(&program.graph.name, inputs);
            outcome.unwrap_or_else(|error| panic!("{}: {error}", setup.label()));
        }
    }
    let cells = training.cells().unwrap_or_else(|error| panic!("{}: {error}", setup.label()));
    cells.into_iter().map(|(name, values)| (name, values.into_iter().map(bits).collect())).collect()
}

fn inputs(setup: &Setup<'_>, data: &mut Data, poisoned: bool) -> Vec<Vec<StepInputs>> {
    let mut steps: Vec<Vec<_>> =
        (0..2).map(|_| setup.programs().map(|_| StepInputs::next(setup.rule, data)).collect()).collect();
    if poisoned {
        POISON.iter().for_each(|&(element, value)| steps[0][0].gradients[HIT][element] = value);
    }
    steps
}

fn has(program: &Program, is: impl Fn(&Op) -> bool) -> bool {
    program.graph.nodes.iter().any(|node| is(&node.op))
}

fn limits(op: &Op) -> bool {
    matches!(op, Op::Binary(BinaryOp::Min | BinaryOp::Max, ..))
}

/// Whether what is not finite gets from one tensor into others: only where the rule reduces over all of them.
fn reaches_others(setup: &Setup<'_>, device: &Device) -> bool {
    let (clean, hit) = (trained(setup, device, false), trained(setup, device, true));
    if setup.couples_tensors() {
        let params = (0..LENGTHS.len()).filter(|&place| place != HIT).map(|place| format!("param[{place}]"));
        let value = |cells: &[(String, Vec<u32>)], name: &str| {
            cells.iter().find(|(cell, _)| cell == name).expect("a parameter of that name").1.clone()
        };
        return params.into_iter().any(|name| value(&clean, &name) != value(&hit, &name));
    }
    for ((name, clean), (_, hit)) in clean.iter().zip(&hit) {
        let differs = |element: &usize| clean[*element] != hit[*element];
        let changed: Vec<_> = (0..clean.len()).filter(differs).collect();
        let of_hit = name.ends_with(&format!("[{HIT}]"));
        let allowed =
            |element: &usize| of_hit && (setup.couples_elements() || POISON.iter().any(|(at, _)| at == element));
        let spread: Vec<_> = changed.iter().filter(|element| !allowed(element)).collect();
        assert!(spread.is_empty(), "{} {name}: {spread:?} changed", setup.label());
        // What a program overwrites without a look at what was there, is gone; so is what a GPU's `min` or `max` drops.
        let keeps = |program: &Program| {
            has(program, |op| *op == Op::Load(Cell::Param))
                && (device.backend() == GpuBackend::Cpu || !has(program, limits))
        };
        if name == &format!("param[{HIT}]") && setup.programs().all(keeps) {
            assert!(changed.contains(&0), "{}: the NaN had no effect", setup.label());
        }
    }
    false
}

#[test]
fn on_the_cpu_what_is_not_finite_stays_in_its_place() {
    let rules = test_rules();
    let setups = rules.iter().flat_map(|rule| rule.setups(5));
    assert!(setups.filter(|setup| reaches_others(setup, &Device::cpu())).count() > 0, "no rule spreads it");
}

#[test]
fn on_wgpu_what_is_not_finite_stays_in_its_place() {
    let Some(device) = gpu(DeviceConfig::default()) else { return };
    let rules = test_rules();
    let spreading = rules.iter().filter(|rule| {
        let default = rule.file.compiled.default_variant;
        reaches_others(&rule.setups(5)[default], &device)
    });
    assert!(spreading.count() > 0, "no rule spreads it");
}

#[test]
fn the_cpu_makes_of_it_what_the_interpreter_does() {
    for rule in test_rules() {
        for setup in rule.setups(5) {
            let mut data = setup.data(&LENGTHS, 4);
            let mut model: Model<f32> = setup.model(&mut data);
            for inputs in inputs(&setup, &mut data, true) {
                for (program, inputs) in setup.programs().zip(&inputs) {
                    model
                        .run(program, How::Direct, inputs)
                        .unwrap_or_else(|error| panic!("{}: {error}", setup.label()));
                }
            }
            let expected = model.cells(setup.rule);
            for (name, actual) in trained(&setup, &Device::cpu(), true) {
                let expected = &expected.iter().find(|(other, _)| *other == name).expect("a cell of that name").1;
                let expected: Vec<_> = expected.iter().copied().map(bits).collect();
                assert_eq!(actual, expected, "{} {name}", setup.label());
            }
        }
    }
}
