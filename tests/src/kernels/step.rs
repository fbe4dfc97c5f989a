//! Steps of a variant in the interpreter, one program at a time: what each begins with, and what it makes of it.

use std::collections::BTreeMap;

use optimizer_specs::checked::Rule;
use optimizer_specs::interp::{Bounded, Error, Memory, Number, Tensor, evaluate};
use optimizer_specs::ir::{Cell, Program, Variant};

use super::arena::{Arena, Buffers};
use crate::compiled::Case;
use crate::parity::model::StepInputs;

/// One run of one program.
#[derive(Debug)]
pub struct Step<'a> {
    /// The program.
    pub case: Case<'a>,
    /// What it begins with, inputs included.
    pub before: Memory<f32>,
    /// What the graph, evaluated as it stands, makes of it.
    pub after: Result<Memory<f32>, Error>,
}

/// Which programs of a variant run one after another, by place: two updates, every other entry, another update.
pub fn script(variant: &Variant) -> Vec<usize> {
    [vec![0, 0], (1..variant.programs.len()).collect(), vec![0]].concat()
}

/// Runs programs of a variant one after another, each with its inputs on what the last one left. A host value that has no
/// place in a row ends them.
pub fn steps<'a>(
    rule: &'a Rule,
    variant: &'a Variant,
    mut memory: Memory<f32>,
    runs: impl IntoIterator<Item = (&'a Program, StepInputs)>,
) -> Vec<Step<'a>> {
    let mut steps = Vec::new();
    for (program, inputs) in runs {
        let case = Case { rule, variant, program };
        feed(&mut memory, case, &inputs);
        let before = memory.clone();
        let after = evaluate(&program.graph, &mut memory).map(|()| memory.clone());
        let ended = after.is_err();
        steps.push(Step { case, before, after });
        if ended {
            break;
        }
    }
    steps
}

/// Counts a step and gives it its inputs: to tensors in turn another factor of the gradient, another limit and
/// another clip coefficient.
fn feed(memory: &mut Memory<f32>, case: Case<'_>, inputs: &StepInputs) {
    let counts = u64::from(case.program.graph.name == "update");
    memory.run += counts;
    memory.scalars.clone_from(&inputs.scalars);
    for (place, tensor) in memory.tensors.iter_mut().enumerate() {
        tensor.step += counts;
        tensor.grad_scale = [1.0, -0.25, 3.0][place % 3];
        tensor.clip_value = [f64::INFINITY, 0.75][place % 2];
        tensor.clip = [1.0, 0.5][place % 2];
        tensor.grad.clone_from(&inputs.gradients[place]);
        tensor.inputs.clone_from(&inputs.inputs[place]);
    }
}

impl Step<'_> {
    /// What the graph makes of it, with the bound that WGSL has to stay within; what it begins with is exact.
    ///
    /// # Errors
    /// Those of the evaluation, as in `after`.
    pub fn bounded(&self) -> Result<Memory<Bounded>, Error> {
        let mut memory = exact(&self.before);
        evaluate(&self.case.program.graph, &mut memory)?;
        Ok(memory)
    }

    /// Runs the program by what turns the buffers of the kernel ABI into those after its kernels. Host states, which no
    /// kernel has, are the interpreter's.
    ///
    /// # Errors
    /// Those of the launch, or that something was written outside of the tensors.
    pub fn run_by(
        &self,
        launch: impl FnOnce(&Arena<'_>, &Buffers) -> Result<Buffers, String>,
    ) -> Result<Memory<f32>, String> {
        let arena = Arena::new(self.case, &self.before);
        let before = arena.pack(&self.before, false);
        let after = launch(&arena, &before)?;
        if arena.between_tensors(&before, &self.before) != arena.between_tensors(&after, &self.before) {
            return Err("something is written between tensors".to_owned());
        }
        let mut found = self.after.as_ref().unwrap_or(&self.before).clone();
        arena.unpack(&after, &mut found);
        Ok(found)
    }
}

/// The memory as every implementation holds it.
fn exact(memory: &Memory<f32>) -> Memory<Bounded> {
    let numbers = |values: &Vec<f32>| values.iter().map(|&value| Bounded::from_f32(value)).collect();
    let tensor = |tensor: &Tensor<f32>| Tensor {
        shape: tensor.shape.clone(),
        hypers: tensor.hypers.clone(),
        step: tensor.step,
        grad_scale: tensor.grad_scale,
        clip_value: tensor.clip_value,
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

/// The numbers on the device that a step may change, by cell and tensor.
pub fn numbers<N: Copy>(memory: &Memory<N>) -> impl Iterator<Item = (Cell, Option<usize>, &[N])> {
    let all = memory.all.iter().map(|(&cell, value)| (cell, None, std::slice::from_ref(value)));
    let tensors = memory.tensors.iter().enumerate();
    all.chain(tensors.flat_map(|(place, tensor)| {
        tensor.cells.iter().map(move |(&cell, values)| (cell, Some(place), values.as_slice()))
    }))
}

/// Every number of a memory that a step may change, by name, as bits; all NaNs are one.
fn bits(memory: &Memory<f32>) -> BTreeMap<String, Vec<u64>> {
    let real = |value: &f32| u64::from(if value.is_nan() { f32::NAN.to_bits() } else { value.to_bits() });
    let mut bits = BTreeMap::new();
    for (cell, tensor, values) in numbers(memory) {
        let of = tensor.map_or(String::new(), |place| format!(" of tensor {place}"));
        bits.insert(format!("{cell:?}{of}"), values.iter().map(real).collect());
    }
    for (place, tensor) in memory.tensors.iter().enumerate() {
        for (state, value) in &tensor.host_states {
            bits.insert(format!("{:?} of tensor {place}", Cell::HostState(*state)), vec![value.to_bits()]);
        }
    }
    bits
}

/// The first number in which two memories differ.
pub fn difference(found: &Memory<f32>, expected: &Memory<f32>) -> Option<String> {
    let (found, expected) = (bits(found), bits(expected));
    if found.keys().ne(expected.keys()) {
        return Some(format!("{:?} instead of {:?}", found.keys(), expected.keys()));
    }
    let wide = |cell: &str| cell.starts_with("HostState");
    let number = |cell: &str, bits: u64| match wide(cell) {
        true => format!("{:?}", f64::from_bits(bits)),
        false => format!("{:?}", f32::from_bits(bits as u32)),
    };
    found.iter().zip(expected.values()).find_map(|((cell, found), expected)| {
        let place = found.iter().zip(expected).position(|(found, expected)| found != expected)?;
        let [found, expected] = [found[place], expected[place]].map(|bits| number(cell, bits));
        Some(format!("{cell}, element {place}, is {found}, not {expected}"))
    })
}
