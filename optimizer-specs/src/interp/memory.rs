//! What a step reads and writes.

use std::collections::BTreeMap;

use super::error::Error;
use super::number::Number;
use crate::ir::Cell;

/// The value of a hyper-parameter as the parameter struct holds it; of an `Option` the payload.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Hyper {
    /// An f32. It enters host arithmetic as its shortest decimal form.
    Real(f32),
    /// A u32.
    Int(u32),
    /// An option (bool, enum, `None`): folded before the graph was made, so that nothing reads it.
    Option,
}

/// A tensor that takes part in the step. Never empty: empty tensors do not take part.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor<N> {
    /// Its shape; the product is its number of elements.
    pub shape: Vec<usize>,
    /// The hyper-parameters of its group, by field.
    pub hypers: Vec<Hyper>,
    /// Updates taken, this one included (in an entry: taken so far).
    pub step: u64,
    /// Loss scale and sign.
    pub grad_scale: f64,
    /// What a gradient's element may be after that, in magnitude; infinite when it is not clipped by value.
    pub clip_value: f64,
    /// The clip coefficient; 1 when clipping is off.
    pub clip: f32,
    /// The gradient; empty where the entry takes none.
    pub grad: Vec<N>,
    /// Extra inputs, by index.
    pub inputs: Vec<Vec<N>>,
    /// `param` and element states, one value per element; `#[tensor]` states, one value.
    pub cells: BTreeMap<Cell, Vec<N>>,
    /// `#[host]` states, by index in the rule's list.
    pub host_states: BTreeMap<u32, f64>,
}

/// All that a step reads and writes.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory<N> {
    /// The tensors that take part, in table order.
    pub tensors: Vec<Tensor<N>>,
    /// `#[all]` states.
    pub all: BTreeMap<Cell, N>,
    /// Updates the optimizer has taken, this one included (in an entry: taken so far).
    pub run: u64,
    /// Values of the `#[scalar]` arguments.
    pub scalars: Vec<f32>,
}

impl<N: Number> Tensor<N> {
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The values of a cell, as many as its extent says.
    pub(super) fn cell(&self, cell: Cell) -> Result<&[N], Error> {
        let expected = if matches!(cell, Cell::TensorState(_)) { 1 } else { self.len() };
        sized(self.cells.get(&cell), expected, || format!("{cell:?}"))
    }

    /// The gradient, one value per element.
    pub(super) fn gradient(&self) -> Result<&[N], Error> {
        sized(Some(&self.grad), self.len(), || "the gradient".to_owned())
    }

    /// An extra input, one value per element.
    pub(super) fn input(&self, index: u32) -> Result<&[N], Error> {
        sized(self.inputs.get(index as usize), self.len(), || format!("input {index}"))
    }
}

impl<N: Number> Memory<N> {
    /// Elements of all tensors that take part.
    pub fn all_len(&self) -> u64 {
        self.tensors.iter().map(|tensor| tensor.len() as u64).sum()
    }

    /// The value of an `#[all]` state.
    pub(super) fn all_state(&self, cell: Cell) -> Result<N, Error> {
        self.all.get(&cell).copied().ok_or_else(|| Error::Malformed(format!("{cell:?} has no value")))
    }
}

fn sized<N>(values: Option<&Vec<N>>, expected: usize, what: impl Fn() -> String) -> Result<&[N], Error> {
    match values {
        Some(values) if values.len() == expected => Ok(values),
        Some(values) => Err(Error::Malformed(format!("{} has {} values, not {expected}", what(), values.len()))),
        None => Err(Error::Malformed(format!("{} has no value", what()))),
    }
}
