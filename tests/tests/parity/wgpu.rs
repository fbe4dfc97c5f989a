//! WGSL through the runtime, held inside the interpreter's bound.

use optimizer_specs::interp::Bounded;
use optirs_gpu::{Device, DeviceConfig};
use optirs_gpu_tests::devices::gpu;
use optirs_gpu_tests::parity::{Data, How, Model, Setup, StepInputs, test_rules};

use super::{STEPS, lengths};

/// Of how many values the bound may say nothing: one in so many.
const UNBOUNDED: usize = 1000;

#[test]
fn wgpu_steps_stay_inside_the_bound() {
    let Some(device) = gpu(DeviceConfig::default()) else { return };
    println!("device: {}", device.name());
    for rule in test_rules() {
        for (index, setup) in rule.setups(3).into_iter().enumerate() {
            compare(&device, &setup, rule.data(lengths(&rule, index), 17));
        }
    }
}

fn compare(device: &Device, setup: &Setup<'_>, mut data: Data) {
    let mut twin = data.clone();
    let mut model: Model<Bounded> = setup.model(&mut data);
    let mut training = setup.open(device, &mut twin).unwrap_or_else(|error| panic!("{}: {error}", setup.label()));
    let (mut count, mut unbounded, mut worst) = (0, 0, 0.0_f64);
    for step in 1..=STEPS {
        for program in setup.programs() {
            let what = format!("{} {} {step}", setup.label(), program.graph.name);
            let inputs = StepInputs::next(setup.rule, &mut data);
            model.run(program, How::Direct, &inputs).unwrap_or_else(|error| panic!("{what}: {error}"));
            training.run(&program.graph.name, &inputs).unwrap_or_else(|error| panic!("{what}: {error}"));
            let expected = model.cells(setup.rule);
            for (name, actual) in training.cells().unwrap_or_else(|error| panic!("{what}: {error}")) {
                let expected = &expected.iter().find(|(other, _)| *other == name).expect("a cell of that name").1;
                assert_eq!(actual.len(), expected.len(), "{what} {name}");
                for (element, (&actual, expected)) in actual.iter().zip(expected).enumerate() {
                    count += 1;
                    match expected.admits(actual) {
                        Some(inside) => assert!(inside, "{what} {name}[{element}]: {actual:e} is not in {expected:?}"),
                        None => unbounded += 1,
                    }
                    if expected.bound > 0.0 && expected.bound.is_finite() {
                        worst = worst.max((f64::from(actual) - f64::from(expected.value)).abs() / expected.bound);
                    }
                }
            }
        }
    }
    println!("{}: at most {worst:.3} of the bound, {unbounded} of {count} without one", setup.label());
    assert!(unbounded * UNBOUNDED <= count, "{}: {unbounded} of {count} values have no bound", setup.label());
}
