//! WGSL on a device: inside the bound that the interpreter carries along.

use std::collections::BTreeMap;

use optimizer_specs::interp::{Bounded, Memory, Number, Tensor, evaluate};

use super::at;
use crate::kernels::{Arena, Gpu};
use crate::random::subject::{Step, Subject};

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
        let arena = Arena::new(step.case, &step.before);
        let before = arena.pack(&step.before, false);
        let buffers = gpu.run(&programs[&name], step.case, &arena, &before).map_err(|what| at(step, number, &what))?;
        let mut found = step.before.clone();
        arena.unpack(&buffers, &mut found);
        if arena.between_tensors(&before, &step.before) != arena.between_tensors(&buffers, &step.before) {
            return Err(at(step, number, "something is written between tensors"));
        }
        compare(step, &found, compared).map_err(|what| at(step, number, &what))?;
    }
    Ok(())
}

fn compare(step: &Step<'_>, found: &Memory<f32>, compared: &mut Compared) -> Result<(), String> {
    let mut expected = bounded(&step.before);
    evaluate(&step.case.program.graph, &mut expected).map_err(|error| error.to_string())?;
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
    for (cell, value) in &expected.all {
        admit(format!("{cell:?}"), *value, found.all[cell])?;
    }
    for (place, tensor) in expected.tensors.iter().enumerate() {
        for (cell, values) in &tensor.cells {
            for (element, value) in values.iter().enumerate() {
                let found = found.tensors[place].cells[cell][element];
                admit(format!("{cell:?} of tensor {place}, element {element},"), *value, found)?;
            }
        }
    }
    Ok(())
}

/// The memory as every implementation holds it: exactly.
fn bounded(memory: &Memory<f32>) -> Memory<Bounded> {
    let numbers = |values: &Vec<f32>| values.iter().map(|&value| Bounded::from_f32(value)).collect();
    let tensor = |tensor: &Tensor<f32>| Tensor {
        shape: tensor.shape.clone(),
        hypers: tensor.hypers.clone(),
        step: tensor.step,
        grad_scale: tensor.grad_scale,
        clip: tensor.clip,
        grad: numbers(&tensor.grad),
        inputs: tensor.inputs.iter().map(numbers).collect(),
        cells: tensor.cells.iter().map(|(cell, values)| (*cell, numbers(values))).collect(),
        host_states: tensor.host_states.clone(),
    };
    Memory {
        tensors: memory.tensors.iter().map(tensor).collect(),
        all: memory.all.iter().map(|(cell, value)| (*cell, Bounded::from_f32(*value))).collect(),
        run: memory.run,
        scalars: memory.scalars.clone(),
    }
}
