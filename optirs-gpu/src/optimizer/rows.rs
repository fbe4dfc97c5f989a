//! Hyper rows: what the host computes for a step. Tensors that agree in all that a row depends on share one.

use std::collections::HashMap;

use super::Optimizer;
use crate::GpuOptimError;
use crate::rule::{Program, RowContext, Rule};

/// The rows of a step, and what it will have changed on the host.
pub(super) struct Rows {
    /// All rows.
    pub words: Vec<u32>,
    /// New host states, by row.
    pub host: Vec<Vec<f64>>,
}

/// What decides a row, beside what is the same for all tensors of a step.
#[derive(PartialEq, Eq, Hash)]
struct Class<'a> {
    group: usize,
    step: Option<u64>,
    shape: Option<&'a [usize]>,
    host: Vec<u64>,
}

impl<R: Rule> Optimizer<R> {
    /// Which row each of these tensors uses: rows are numbered in order of first use.
    pub(super) fn classes(&self, program: &Program, slots: &[usize]) -> Vec<u32> {
        // What a host state becomes may depend on all of it, whether or not the row does.
        let host_states = !self.variant().host_states.is_empty();
        let mut seen = HashMap::new();
        let class_of = |slot: &usize| {
            let tensor = &self.tensors[*slot];
            let class = Class {
                group: tensor.group,
                step: (program.reads.step || host_states).then_some(self.cohort(tensor).steps),
                shape: (program.reads.shape || host_states).then_some(&tensor.shape[..]),
                host: self.host_states(tensor).into_iter().map(f64::to_bits).collect(),
            };
            let next = seen.len() as u32;
            *seen.entry(class).or_insert(next)
        };
        slots.iter().map(class_of).collect()
    }

    /// Computes a step's rows from the first tensor of each class, for a step over this many elements.
    pub(super) fn rows(&self, program: usize, firsts: &[usize], elements: u64) -> Result<Rows, GpuOptimError> {
        let Program { row_words, reads, .. } = self.variant().programs[program];
        let scalars = if reads.scalars { self.scalar_values()? } else { Vec::new() };
        let taken = u64::from(program == 0);
        let mut rows = Rows { words: Vec::new(), host: Vec::new() };
        for slot in firsts {
            let tensor = &self.tensors[*slot];
            let group = &self.groups[tensor.group];
            let steps = self.cohort(tensor).steps;
            if steps.checked_add(taken).and(self.run.checked_add(taken)).is_none() {
                return Err(GpuOptimError::InvalidState(format!(
                    "tensor `{}`: no counter counts further",
                    tensor.name
                )));
            }
            let context = RowContext {
                params: &group.params,
                step: steps + taken,
                run: self.run + taken,
                shape: &tensor.shape,
                all_len: elements,
                scalars: &scalars,
                grad_scale: self.grad_factor(tensor.group),
                clip_value: self.clip_value(),
            };
            let mut host = self.host_states(tensor);
            let start = rows.words.len();
            rows.words.resize(start + row_words, 0);
            R::row(self.variant, program, &context, &mut host, &mut rows.words[start..])
                .map_err(|error| tensor.not_finite(error))?;
            rows.host.push(host);
        }
        Ok(rows)
    }
}
