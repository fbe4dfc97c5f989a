//! The guard: a program over the gradients that runs before one of the rule, in the same submission. It decides on the
//! device whether that one runs and how gradients are clipped; the host reads afterwards what it found, in
//! [`pending`](super::pending).
//!
//! Its scalars are those of the rule: its record of all tensors is the header, and its records of tensors stand behind
//! the rule's, where every step writes them anew.

use std::sync::Arc;

use super::recent::Asked;
use super::storage::Storage;
use super::{Clipping, Optimizer};
use crate::backend::{Launch, Range, Slice, Write};
use crate::programs::{Guard, GuardParams, Scope};
use crate::rule::{Program, RowContext, Rule, Variant};
use crate::{GpuOptimError, ParamSet};

/// What a step asks of the guard.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guarding {
    /// But for the factor of the gradients, which is the group's.
    params: GuardParams,
    /// Index of the guard's variants.
    variant: usize,
}

/// A guard that is ready to run.
#[derive(Debug)]
pub(super) struct ReadyGuard {
    variant: &'static Variant,
    pub program: &'static Program,
    rows: Vec<u32>,
    hyper: Slice,
    partials: Slice,
    ranges: Vec<Range>,
    tensors: Slice,
    tensor_count: u32,
}

impl<R: Rule> Optimizer<R> {
    /// What stands before a program of the rule, if something does: the guard costs a step that does not need it nothing.
    pub(super) fn guarding(&self, program: &Program) -> Result<Option<Guarding>, GpuOptimError> {
        let (scope, max_norm) = match self.clipping {
            Clipping::TensorNorm(max_norm) => (Scope::Tensor, max_norm),
            Clipping::GlobalNorm(max_norm) => (Scope::All, max_norm),
            Clipping::Off | Clipping::Value(_) if self.scaler.is_some() => (Scope::Nothing, 0.0),
            Clipping::Off | Clipping::Value(_) => return Ok(None),
        };
        if !program.takes_grad {
            return Ok(None);
        }
        let params = GuardParams { scope, max_norm, ..GuardParams::default() };
        let missing = || GpuOptimError::Device(format!("the guard has no variant for {scope:?}"));
        Ok(Some(Guarding { params, variant: Guard::variant(&params).ok_or_else(missing)? }))
    }

    /// Makes tables and rows of the guard for these tensors.
    pub(super) fn ready_guard(
        &self,
        guarding: Guarding,
        storage: &mut Storage,
        slots: &Arc<[usize]>,
        params: &ParamSet,
    ) -> Result<ReadyGuard, GpuOptimError> {
        storage.cover_guard()?;
        let variant = &Guard::VARIANTS[guarding.variant];
        let program = &variant.programs[0];
        let planned = storage.planned(Asked::Guard, slots, params, || self.group_classes(slots))?;
        let (ranges, tensors) = (planned.ranges.clone(), planned.tensors.clone());
        let (tensor_count, records) = (planned.tensor_count, planned.partials);
        let rows = self.guard_rows(guarding, program, &planned.firsts)?;
        let partials = storage.partials(records * program.partial_words as u64)?;
        let hyper = storage.guard_row_buffer(rows.len() as u64)?;
        Ok(ReadyGuard { variant, program, rows, hyper, partials, ranges, tensors, tensor_count })
    }

    /// A row for each group: nothing else decides it.
    fn group_classes(&self, slots: &[usize]) -> Vec<u32> {
        let mut seen: Vec<usize> = Vec::new();
        let class_of = |slot: &usize| {
            let group = self.tensors[*slot].group;
            seen.iter().position(|known| *known == group).unwrap_or_else(|| {
                seen.push(group);
                seen.len() - 1
            }) as u32
        };
        slots.iter().map(class_of).collect()
    }

    fn guard_rows(&self, guarding: Guarding, program: &Program, firsts: &[usize]) -> Result<Vec<u32>, GpuOptimError> {
        let mut words = Vec::new();
        for slot in firsts {
            let start = words.len();
            let tensor = &self.tensors[*slot];
            let params = GuardParams { grad_scale: self.grad_factor(tensor.group) as f32, ..guarding.params };
            let context = RowContext {
                params: &params,
                step: 0,
                run: 0,
                shape: &[],
                all_len: 0,
                scalars: &[],
                grad_scale: 1.0,
                clip_value: f64::INFINITY,
            };
            words.resize(start + program.row_words, 0);
            Guard::row(guarding.variant, 0, &context, &mut [], &mut words[start..])
                .map_err(|error| tensor.not_finite(error))?;
        }
        Ok(words)
    }
}

impl ReadyGuard {
    /// Its rows, and a flag that is clear, without which its kernels do not run.
    pub(super) fn writes<'a>(&'a self, scalars: &'a Slice) -> [Write<'a>; 2] {
        [
            Write { buffer: &self.hyper.buffer, start: 0, words: &self.rows },
            Write { buffer: &scalars.buffer, start: 0, words: &[0] },
        ]
    }

    pub(super) fn launch<'a>(&'a self, scalars: &'a Slice) -> Launch<'a> {
        Launch {
            variant: self.variant,
            program: self.program,
            hyper: &self.hyper,
            scalars,
            partials: Some(&self.partials),
            ranges: &self.ranges,
            tensors: &self.tensors,
            tensor_count: self.tensor_count,
        }
    }
}

/// The guard's variants write the same words.
const LAYOUT: &Variant = &Guard::VARIANTS[0];

impl Storage {
    /// The guard's slot of a tensor: one whose record lies behind all records of the rule.
    pub(super) fn guard_slot(&self, slot: usize) -> usize {
        let rule = self.variant.tensor_start(self.stretches.len());
        let before = rule.saturating_sub(LAYOUT.tensor_start(0)).div_ceil(LAYOUT.tensor_words);
        before + slot
    }

    /// The word in which the guard leaves a tensor's clip coefficient: the first of its record.
    pub(super) fn clip_word(&self, slot: usize) -> Result<u32, GpuOptimError> {
        let word = LAYOUT.tensor_start(self.guard_slot(slot));
        u32::try_from(word).map_err(|_| {
            GpuOptimError::UnsupportedOperation(format!("{word} words of scalars are more than kernels can count"))
        })
    }

    /// Makes room for the guard's records of all tensors.
    fn cover_guard(&mut self) -> Result<(), GpuOptimError> {
        let words = LAYOUT.tensor_start(self.guard_slot(self.stretches.len())) as u64;
        if self.scalars.words < words {
            self.scalars = crate::params::regrown(&self.device, Some(&self.scalars), "scalars", words)?;
            self.version += 1;
        }
        Ok(())
    }
}
