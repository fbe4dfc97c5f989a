//! An optimizer made of the interpreter: what a runtime keeps, around it.

use std::collections::BTreeMap;

use optimizer_specs::checked::{HyperValue, Init, Rule};
use optimizer_specs::interp::{Error, Hyper, Memory, Number, Tensor, decimal, evaluate, execute};
use optimizer_specs::ir::{Cell, Program, SlotTable, Variant};

use super::data::Data;
use super::hypers;

/// An optimizer of one variant of a rule, with its tensors.
#[derive(Clone, Debug)]
pub struct Model<N> {
    /// Parameters, states and counters.
    pub memory: Memory<N>,
}

/// What a step takes beside the parameters.
#[derive(Clone, Debug)]
pub struct StepInputs {
    /// By tensor.
    pub gradients: Vec<Vec<f32>>,
    /// By tensor and index.
    pub inputs: Vec<Vec<Vec<f32>>>,
    /// By index.
    pub scalars: Vec<f32>,
}

impl StepInputs {
    /// The next inputs of a rule.
    pub fn next(rule: &Rule, data: &mut Data) -> Self {
        Self {
            gradients: data.gradients(),
            inputs: data.inputs(rule.inputs.len()),
            scalars: data.scalars(rule.scalars.len()),
        }
    }
}

/// How a program is run.
#[derive(Clone, Copy, Debug)]
pub enum How<'a> {
    /// The graph as it stands.
    Direct,
    /// Kernel by kernel, with these records of all tensors and of one.
    Planned(&'a SlotTable, &'a SlotTable),
}

impl<N: Number> Model<N> {
    /// An optimizer before its first step.
    pub fn new(
        rule: &Rule,
        variant: &Variant,
        values: &[HyperValue],
        shapes: &[Vec<usize>],
        params: &[Vec<f32>],
    ) -> Self {
        let hypers = hypers::for_interpreter(values);
        let first = |state: u32| match rule.states[state as usize].init {
            Init::Number(value) => N::from_host(value),
            Init::Hyper(index) => N::from_f32(real(&hypers, index)),
            Init::Param => panic!("only element states start from the parameter"),
        };
        let tensor = |(shape, param): (&Vec<usize>, &Vec<f32>)| {
            let param: Vec<N> = param.iter().map(|&value| N::from_f32(value)).collect();
            let mut cells = BTreeMap::from([(Cell::Param, param.clone())]);
            for &state in &variant.element_states {
                let values = match rule.states[state as usize].init {
                    Init::Param => param.clone(),
                    _ => vec![first(state); param.len()],
                };
                cells.insert(Cell::ElementState(state), values);
            }
            for &state in &variant.tensor.states {
                cells.insert(Cell::TensorState(state), vec![first(state)]);
            }
            let host = |&state: &u32| match rule.states[state as usize].init {
                Init::Hyper(index) => (state, decimal(real(&hypers, index))),
                Init::Number(value) => (state, value),
                Init::Param => panic!("a host state does not start from the parameter"),
            };
            Tensor {
                shape: shape.clone(),
                hypers: hypers.clone(),
                step: 0,
                grad_scale: 1.0,
                clip_value: f64::INFINITY,
                clip: 1.0,
                grad: Vec::new(),
                inputs: Vec::new(),
                cells,
                host_states: variant.host_states.iter().map(host).collect(),
            }
        };
        let tensors = shapes.iter().zip(params).map(tensor).collect();
        let all = variant.all.states.iter().map(|&state| (Cell::AllState(state), first(state))).collect();
        Self { memory: Memory { tensors, all, run: 0, scalars: Vec::new() } }
    }

    /// Runs a program over all tensors. `update` counts; an entry does not.
    pub fn run(&mut self, program: &Program, how: How<'_>, inputs: &StepInputs) -> Result<(), Error> {
        let count = u64::from(program.graph.name == "update");
        self.memory.run += count;
        self.memory.scalars.clone_from(&inputs.scalars);
        let numbers = |values: &Vec<f32>| values.iter().map(|&value| N::from_f32(value)).collect();
        for (place, tensor) in self.memory.tensors.iter_mut().enumerate() {
            tensor.step += count;
            tensor.grad = numbers(&inputs.gradients[place]);
            tensor.inputs = inputs.inputs[place].iter().map(numbers).collect();
        }
        match how {
            How::Direct => evaluate(&program.graph, &mut self.memory),
            How::Planned(all, tensor) => execute(program, all, tensor, &mut self.memory),
        }
    }

    /// A cell's name and its values, for every cell of every tensor and of all.
    pub fn cells(&self, rule: &Rule) -> Vec<(String, Vec<N>)> {
        let tensors = self.memory.tensors.iter().enumerate().flat_map(|(place, tensor)| {
            let named = move |(&cell, values): (&Cell, &Vec<N>)| {
                (format!("{}[{place}]", cell_name(rule, cell)), values.clone())
            };
            tensor.cells.iter().map(named)
        });
        let all = self.memory.all.iter().map(|(&cell, &value)| (cell_name(rule, cell), vec![value]));
        tensors.chain(all).collect()
    }
}

/// `param`, or the state's name.
pub fn cell_name(rule: &Rule, cell: Cell) -> String {
    match cell {
        Cell::Param => "param".to_owned(),
        Cell::ElementState(state) | Cell::TensorState(state) | Cell::AllState(state) | Cell::HostState(state) => {
            rule.states[state as usize].name.to_string()
        }
    }
}

fn real(hypers: &[Hyper], index: u32) -> f32 {
    match hypers[index as usize] {
        Hyper::Real(value) => value,
        Hyper::Int(value) => value as f32,
        Hyper::Option => panic!("a state starts from an option"),
    }
}
