//! What the optimizer knows of every tensor: counters and host states.

use super::Optimizer;
use super::lineup::Cohort;
use super::moves::Parked;
use crate::params::{Holder, Tensor};
use crate::rule::{Init, RowError, Rule, math};
use crate::{GpuOptimError, ParamSet};

/// A tensor that the optimizer has seen.
#[derive(Clone, Debug)]
pub(super) struct Tracked {
    pub name: String,
    slot: usize,
    holder: Holder,
    pub shape: Vec<usize>,
    /// Place of its parameter group.
    pub group: usize,
    /// Place of what the host counts of it.
    pub cohort: usize,
}

impl Tracked {
    /// A tensor that has taken no part yet.
    pub(super) fn new(slot: usize, tensor: &Tensor, group: usize, cohort: usize) -> Tracked {
        Tracked {
            name: tensor.name.clone(),
            slot,
            holder: tensor.holder.clone(),
            shape: tensor.shape.clone(),
            group,
            cohort,
        }
    }

    /// Whether the set has lost it.
    fn is_removed(&self) -> bool {
        self.holder.slot() != Some(self.slot)
    }

    /// The error of a row of this tensor.
    pub(super) fn not_finite(&self, RowError { expression, value }: RowError) -> GpuOptimError {
        GpuOptimError::NotFinite { expression, value, tensor: self.name.clone() }
    }
}

impl<R: Rule> Optimizer<R> {
    /// The slot of the tensor that has a name now. It may be one that has taken the name of a tensor that the optimizer has
    /// seen, and that the optimizer has not seen itself yet.
    pub(super) fn slot_of(&self, name: &str) -> Result<usize, GpuOptimError> {
        let namesake = self.tensors.iter().find(|tensor| tensor.name == name);
        let slot = namesake.and_then(|tensor| tensor.holder.slot());
        slot.ok_or_else(|| GpuOptimError::UnknownTensor(name.to_owned()))
    }

    /// Updates that the tensor in a slot has taken; none where no step has seen it.
    pub(crate) fn updates_of(&self, slot: usize) -> u64 {
        self.tensors.get(slot).map_or(0, |tensor| self.cohort(tensor).steps)
    }

    /// The shape of a tensor that the optimizer has seen.
    pub(crate) fn tracked_shape(&self, name: &str) -> Option<&[usize]> {
        self.tensors.get(self.slot_of(name).ok()?).map(|tensor| &tensor.shape[..])
    }

    /// Refuses a set that is not the one that the states belong to. As long as there are none, any set is.
    pub(super) fn check_set(&self, params: &ParamSet) -> Result<(), GpuOptimError> {
        let tensors = params.tensors();
        let agrees = || {
            let mut both = tensors.iter().zip(&self.tensors);
            tensors.len() >= self.tensors.len() && both.all(|(new, old)| new.name == old.name && new.shape == old.shape)
        };
        let is_theirs = match (&self.storage, &self.parked) {
            (Some(storage), _) => storage.follows(params),
            (None, Some(Parked { set: Some(set), .. })) => *set == params.id(),
            (None, Some(_)) => agrees(),
            (None, None) => true,
        };
        if is_theirs { Ok(()) } else { Err(another_set()) }
    }

    /// Takes in tensors that the set has gained.
    pub(super) fn track(&mut self, params: &ParamSet) -> Result<(), GpuOptimError> {
        self.check_set(params)?;
        self.check_claims(params)?;
        if self.storage.is_none() && self.parked.is_none() {
            // They may be those of another set, over which a step has failed.
            self.forget_tensors();
        }
        let tensors = params.tensors();
        if self.storage.is_none() {
            // States that were moved may have come from another set.
            for (tracked, tensor) in self.tensors.iter_mut().zip(tensors) {
                tracked.holder = tensor.holder.clone();
            }
        }
        if tensors.len() > self.tensors.len() {
            // The tables of recent steps are of other tensors: they stay.
            self.lineups.clear();
            let cohort = self.cohorts.len();
            self.cohorts.push(Cohort::default());
            for (slot, tensor) in tensors.iter().enumerate().skip(self.tensors.len()) {
                self.tensors.push(Tracked::new(slot, tensor, self.group_of(&tensor.name), cohort));
            }
        }
        Ok(())
    }

    /// Gives up all that is counted of tensors.
    pub(super) fn forget_tensors(&mut self) {
        self.tensors.clear();
        self.cohorts.clear();
        self.lineups.clear();
    }

    /// Refuses tensors that take part for the first time, if the rule does not allow their shapes.
    pub(super) fn check_new_shapes(&self, slots: &[usize]) -> Result<(), GpuOptimError> {
        let mut new = slots.iter().map(|slot| &self.tensors[*slot]).filter(|tensor| !self.cohort(tensor).touched);
        new.try_for_each(|tensor| allow_shape::<R>(&self.groups[tensor.group].params, &tensor.name, &tensor.shape))
    }

    /// Refuses hyper-parameters that the rule does not allow for the shape of a tensor that has states. The others are
    /// asked about when they take part.
    pub(super) fn check_shape_of(&self, tensor: &Tracked, params: &R::Params) -> Result<(), GpuOptimError> {
        if self.cohort(tensor).touched && !tensor.is_removed() {
            allow_shape::<R>(params, &tensor.name, &tensor.shape)
        } else {
            Ok(())
        }
    }

    /// A tensor's host states: their first values before the first touch.
    pub(super) fn host_states(&self, tensor: &Tracked) -> Vec<f64> {
        let cohort = self.cohort(tensor);
        if cohort.touched {
            return cohort.host.clone();
        }
        let first = |state: &usize| match R::STATES[*state].init {
            Init::Number(value) => value,
            Init::Hyper(index) => math::decimal(R::hyper(&self.groups[tensor.group].params, index)),
            Init::Param => 0.0, // no element value reaches the host
        };
        self.variant().host_states.iter().map(first).collect()
    }
}

/// What the rule says of a shape, with the tensor's name.
pub(super) fn allow_shape<R: Rule>(params: &R::Params, name: &str, shape: &[usize]) -> Result<(), GpuOptimError> {
    R::check_shape(params, shape).map_err(|error| match error {
        GpuOptimError::Requirement(message) => {
            GpuOptimError::Requirement(format!("tensor `{name}` of shape {shape:?}: {message}"))
        }
        other => other,
    })
}

pub(super) fn another_set() -> GpuOptimError {
    GpuOptimError::InvalidState(
        "the optimizer's states belong to another `ParamSet`: use one optimizer per set, or call `reset()`".to_owned(),
    )
}
