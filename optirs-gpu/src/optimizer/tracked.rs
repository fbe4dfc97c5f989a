//! What the optimizer knows of every tensor: counters and host states.

use super::Optimizer;
use crate::rule::{Init, Rule, math};
use crate::{GpuOptimError, ParamSet};

/// A tensor that the optimizer has seen.
#[derive(Clone, Debug)]
pub(super) struct Tracked {
    pub name: String,
    pub shape: Vec<usize>,
    pub len: u64,
    /// Place of its parameter group.
    pub group: usize,
    /// Updates taken.
    pub steps: u64,
    /// Whether its states have their first values.
    pub touched: bool,
    /// Host states, in the variant's order; empty before the first touch.
    pub host: Vec<f64>,
}

impl<R: Rule> Optimizer<R> {
    pub(super) fn tracked(&self, name: &str) -> Result<&Tracked, GpuOptimError> {
        Ok(&self.tensors[self.tracked_slot(name)?])
    }

    pub(super) fn tracked_slot(&self, name: &str) -> Result<usize, GpuOptimError> {
        // The latest, where a tensor of this name was removed before.
        let slot = self.tensors.iter().rposition(|tensor| tensor.name == name);
        slot.ok_or_else(|| GpuOptimError::UnknownTensor(name.to_owned()))
    }

    /// Updates that the tensor in a slot has taken; none where no step has seen it.
    pub(crate) fn updates_of(&self, slot: usize) -> u64 {
        self.tensors.get(slot).map_or(0, |tensor| tensor.steps)
    }

    /// The shape of a tensor that the optimizer has seen.
    pub(crate) fn tracked_shape(&self, name: &str) -> Option<&[usize]> {
        self.tracked(name).ok().map(|tensor| &tensor.shape[..])
    }

    /// Refuses a set that is not the one of before.
    pub(super) fn check_set(&self, params: &ParamSet) -> Result<(), GpuOptimError> {
        let tensors = params.tensors();
        // The set that was stepped before only ever appends.
        let known = self.storage.as_ref().is_some_and(|storage| storage.follows(params));
        let agrees =
            || tensors.iter().zip(&self.tensors).all(|(new, old)| new.name == old.name && new.shape == old.shape);
        if tensors.len() < self.tensors.len() || !(known || agrees()) {
            return Err(another_set());
        }
        Ok(())
    }

    /// Takes in tensors that the set has gained.
    pub(super) fn track(&mut self, params: &ParamSet) -> Result<(), GpuOptimError> {
        self.check_set(params)?;
        self.check_claims(params)?;
        let tensors = params.tensors();
        let mut added = Vec::new();
        for tensor in &tensors[self.tensors.len()..] {
            let group = self.group_of(&tensor.name);
            R::check_shape(&self.groups[group].params, &tensor.shape)?;
            added.push(Tracked {
                name: tensor.name.clone(),
                shape: tensor.shape.clone(),
                len: tensor.len,
                group,
                steps: 0,
                touched: false,
                host: Vec::new(),
            });
        }
        self.tensors.extend(added);
        Ok(())
    }

    /// A tensor's host states: their first values before the first touch.
    pub(super) fn host_states(&self, tensor: &Tracked) -> Vec<f64> {
        if tensor.touched {
            return tensor.host.clone();
        }
        let first = |state: &usize| match R::STATES[*state].init {
            Init::Number(value) => value,
            Init::Hyper(index) => math::decimal(R::hyper(&self.groups[tensor.group].params, index)),
            Init::Param => 0.0, // no element value reaches the host
        };
        self.variant().host_states.iter().map(first).collect()
    }
}

pub(super) fn another_set() -> GpuOptimError {
    GpuOptimError::InvalidState(
        "the optimizer's states belong to another `ParamSet`: use one optimizer per set, or call `reset()`".to_owned(),
    )
}
