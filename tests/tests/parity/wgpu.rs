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
    let mut outside = Vec::new();
    for rule in test_rules() {
        for (index, setup) in rule.setups(3).into_iter().enumerate() {
            match compare(&device, &setup, rule.data(lengths(&rule, index), 17)) {
                Ok(seen) => println!("{}: {seen:?}", setup.label()),
                Err(what) => outside.push(what),
            }
        }
    }
    assert!(outside.is_empty(), "outside the bound:\n{}", outside.join("\n"));
}

/// What was compared.
#[derive(Debug, Default)]
struct Seen {
    values: usize,
    without_bound: usize,
    /// The greatest distance, as a part of the bound.
    worst: f64,
}

impl Seen {
    /// Counts a value; or how far it is outside the bound.
    fn take_in(&mut self, actual: f32, expected: Bounded) -> Result<(), String> {
        self.values += 1;
        match expected.admits(actual) {
            None => self.without_bound += 1,
            Some(false) => {
                return Err(format!("{actual:e} is not within {:e} of {:e}", expected.bound, expected.value));
            }
            Some(true) if expected.bound > 0.0 => {
                let apart = (f64::from(actual) - f64::from(expected.value)).abs();
                self.worst = self.worst.max(apart / expected.bound);
            }
            Some(true) => {}
        }
        Ok(())
    }
}

/// Steps both; the first value outside the bound ends it.
fn compare(device: &Device, setup: &Setup<'_>, mut data: Data) -> Result<Seen, String> {
    let mut twin = data.clone();
    let mut model: Model<Bounded> = setup.model(&mut data);
    let mut training = setup.open(device, &mut twin).unwrap_or_else(|error| panic!("{}: {error}", setup.label()));
    let mut seen = Seen::default();
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
                for (element, (&actual, &expected)) in actual.iter().zip(expected).enumerate() {
                    seen.take_in(actual, expected).map_err(|how| format!("{what} {name}[{element}]: {how}"))?;
                }
            }
        }
    }
    assert!(seen.without_bound * UNBOUNDED <= seen.values, "{}: {seen:?}", setup.label());
    Ok(seen)
}
