//! The generated CPU code through the runtime, bit-equal to the interpreter in f32.

use optirs_gpu::Device;
use optirs_gpu_tests::parity::{Data, How, Model, Setup, StepInputs, test_rules};

use super::{STEPS, bits, lengths};

#[test]
fn cpu_steps_are_bit_equal_to_the_interpreter() {
    let device = Device::cpu();
    for rule in test_rules() {
        assert_eq!(rule.expanded.fields(), rule.fields(), "the line of `{}` in the table", rule.expanded.name());
        for (index, setup) in rule.setups(3).into_iter().enumerate() {
            compare(&device, &setup, rule.data(lengths(&rule, index), 17));
        }
    }
}

/// The same with other hyper-parameters and data, on small tensors.
#[test]
fn cpu_steps_with_other_hyper_parameters_are_bit_equal_to_the_interpreter() {
    let device = Device::cpu();
    for rule in test_rules() {
        for seed in 100..110 {
            for setup in rule.setups(seed) {
                compare(&device, &setup, rule.data(&[67, 5], seed));
            }
        }
    }
}

/// Of enough elements for more than one thread.
#[test]
fn cpu_steps_of_many_threads_are_bit_equal_to_the_interpreter() {
    for rule in test_rules().iter().filter(|rule| ["adamw", "lamb"].contains(&rule.file.name().as_str())) {
        let setups = rule.setups(3);
        compare(&Device::cpu(), &setups[rule.file.compiled.default_variant], rule.data(&[80_001, 60_001], 23));
    }
}

fn compare(device: &Device, setup: &Setup<'_>, mut data: Data) {
    let mut twin = data.clone();
    let mut model: Model<f32> = setup.model(&mut data);
    let mut training = setup.open(device, &mut twin).unwrap_or_else(|error| panic!("{}: {error}", setup.label()));
    for step in 1..=STEPS {
        for program in setup.programs() {
            let what = format!("{} {} {step}", setup.label(), program.graph.name);
            let inputs = StepInputs::next(setup.rule, &mut data);
            model.run(program, How::Direct, &inputs).unwrap_or_else(|error| panic!("{what}: {error}"));
            training.run(&program.graph.name, &inputs).unwrap_or_else(|error| panic!("{what}: {error}"));
            let expected = model.cells(setup.rule);
            let actual = training.cells().unwrap_or_else(|error| panic!("{what}: {error}"));
            assert_eq!(actual.len(), expected.len(), "{what}: cells");
            for (name, actual) in &actual {
                let expected = &expected.iter().find(|(other, _)| other == name).expect("a cell of that name").1;
                let first = actual.iter().zip(expected).position(|(a, b)| bits(*a) != bits(*b));
                let pair = first.map(|element| (element, actual[element], expected[element]));
                assert_eq!((actual.len(), pair), (expected.len(), None), "{what} {name}: element, CPU, interpreter");
            }
        }
    }
}
