//! WGSL on a device: inside the bound that the interpreter carries along.

use std::collections::BTreeMap;

use optimizer_specs::interp::{Bounded, Memory};

use super::at;
use crate::compiled::Case;
use crate::kernels::step::{Step, numbers};
use crate::kernels::{Arena, Buffers, Gpu};
use crate::random::subject::Subject;

/// How many numbers were compared, and how many of them the bound says nothing about.
#[derive(Clone, Copy, Debug, Default)]
pub struct Compared {
    /// All.
    pub numbers: usize,
    /// Those without a bound.
    pub unbounded: usize,
}

/// Runs one variant of a rule on a device.
pub fn check(gpu: &Gpu, subject: &Subject, compared: &mut Compared) -> Result<(), String> {
    let mut programs = BTreeMap::new();
    check_by(subject, compared, |case, arena, buffers| {
        let name = &case.program.graph.name;
        if !programs.contains_key(name) {
            programs.insert(name.clone(), gpu.compile(case)?);
        }
        gpu.run(&programs[name], case, arena, buffers)
    })
}

/// Runs one variant of a rule by what turns the buffers of the kernel ABI into those after a program's kernels.
pub fn check_by(
    subject: &Subject,
    compared: &mut Compared,
    mut launch: impl FnMut(Case<'_>, &Arena<'_>, &Buffers) -> Result<Buffers, String>,
) -> Result<(), String> {
    for (number, step) in subject.steps(subject.variant(), &subject.lengths()).iter().enumerate() {
        if step.after.is_err() {
            break;
        }
        let found = step.run_by(|arena, buffers| launch(step.case, arena, buffers));
        let checked = found.and_then(|found| compare(step, &found, compared));
        checked.map_err(|what| at(step, number, &what))?;
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
