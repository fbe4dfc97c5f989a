//! WGSL on a device: inside the bound that the interpreter carries along.

use std::collections::BTreeMap;

use optimizer_specs::interp::{Bounded, Memory};

use super::at;
use crate::kernels::Gpu;
use crate::kernels::step::{Step, numbers};
use crate::random::subject::Subject;

/// How many numbers were compared, and how many of them the bound says nothing about.
#[derive(Clone, Copy, Debug, Default)]
pub struct Compared {
    /// All.
    pub numbers: usize,
    /// Those without a bound.
    pub unbounded: usize,
}

/// Runs one variant of a rule.
pub fn check(gpu: &Gpu, subject: &Subject, compared: &mut Compared) -> Result<(), String> {
    let mut programs = BTreeMap::new();
    for (number, step) in subject.steps(subject.variant(), &subject.lengths()).iter().enumerate() {
        let name = step.case.program.graph.name.clone();
        if !programs.contains_key(&name) {
            programs.insert(name.clone(), gpu.compile(step.case).map_err(|what| at(step, number, &what))?);
        }
        if step.after.is_err() {
            break;
        }
        let run = step.run_by(|arena, buffers| gpu.run(&programs[&name], step.case, arena, buffers));
        let found = run.map_err(|what| at(step, number, &what))?;
        compare(step, &found, compared).map_err(|what| at(step, number, &what))?;
    }
    Ok(())
}

fn compare(step: &Step<'_>, found: &Memory<f32>, compared: &mut Compared) -> Result<(), String> {
    let expected = step.bounded().map_err(|error| error.to_string())?;
    let mut admit = |what: String, expected: Bounded, found: f32| {
        compared.numbers += 1;
        match expected.admits(found) {
            Some(true) => Ok(()),
            Some(false) => Err(format!("{what} is {found:?}, not {:?} within {:?}", expected.value, expected.bound)),
            None => {
                compared.unbounded += 1;
                Ok(())
            }
        }
    };
    for ((cell, tensor, expected), (.., found)) in numbers(&expected).zip(numbers(found)) {
        let of = tensor.map_or(String::new(), |place| format!(" of tensor {place}"));
        for (element, (expected, found)) in expected.iter().zip(found).enumerate() {
            admit(format!("{cell:?}{of}, element {element},"), *expected, *found)?;
        }
    }
    Ok(())
}
