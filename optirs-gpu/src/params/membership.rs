//! Who is trained: tensors that join, are frozen for a while, and are gone.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{ParamSet, Tensor};
use crate::GpuOptimError;

/// How a tensor stands in its set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    Trained,
    /// Steps pass over it, whether or not it has a gradient.
    Frozen,
    /// It has no name any more; its place stays.
    Removed,
}

/// Which tensor of a set has a name, by its slot. All that ever had the name share it, with whoever keeps something of
/// them: an optimizer is asked about a name without the set.
#[derive(Clone, Debug)]
pub(crate) struct Holder(Arc<AtomicUsize>);

impl Holder {
    /// No set has so many tensors.
    const NOBODY: usize = usize::MAX;

    /// The slot of the tensor that has the name, if one has.
    pub(crate) fn slot(&self) -> Option<usize> {
        Some(self.0.load(Ordering::Relaxed)).filter(|slot| *slot != Self::NOBODY)
    }

    fn pass_to(&self, slot: usize) {
        self.0.store(slot, Ordering::Relaxed);
    }
}

impl Default for Holder {
    fn default() -> Holder {
        Holder(Arc::new(AtomicUsize::new(Holder::NOBODY)))
    }
}

impl Tensor {
    /// Whether a program runs over it.
    pub(crate) fn takes_part(&self, takes_grad: bool) -> bool {
        let stands = match self.standing {
            Standing::Trained => self.has_grad || !takes_grad,
            Standing::Frozen => !takes_grad,
            Standing::Removed => false,
        };
        stands && self.len > 0
    }
}

impl ParamSet {
    /// Lets steps pass over a tensor, whether or not it has a gradient, as `requires_grad = False` does in PyTorch: no
    /// decay, no state, no count. What is kept of it stays as it is, on the device. Entries that take no gradient
    /// (Schedule-Free's `eval`) run over it all the same, so that all tensors stand at the same points.
    ///
    /// # Errors
    /// [`GpuOptimError::UnknownTensor`]
    pub fn freeze(&mut self, name: &str) -> Result<(), GpuOptimError> {
        self.stand(name, Standing::Frozen)
    }

    /// Lets steps take a frozen tensor again: they go on from the states and the count that it had.
    ///
    /// # Errors
    /// [`GpuOptimError::UnknownTensor`]
    pub fn unfreeze(&mut self, name: &str) -> Result<(), GpuOptimError> {
        self.stand(name, Standing::Trained)
    }

    /// Whether a tensor is frozen.
    ///
    /// # Errors
    /// [`GpuOptimError::UnknownTensor`]
    pub fn is_frozen(&self, name: &str) -> Result<bool, GpuOptimError> {
        Ok(self.tensor(name)?.standing == Standing::Frozen)
    }

    /// Removes a tensor. Its name is free again: a tensor that is added under it starts without states.
    ///
    /// Its place in memory, with its states, is given back with the set alone. Where that matters, or an optimizer is to
    /// [move](crate::Optimizer::move_to), make a set of the tensors that are left, and load a checkpoint into it.
    ///
    /// # Errors
    /// [`GpuOptimError::UnknownTensor`]
    pub fn remove(&mut self, name: &str) -> Result<(), GpuOptimError> {
        let slot = self.slot(name)?;
        let tensor = &mut self.tensors[slot];
        tensor.standing = Standing::Removed;
        tensor.holder.pass_to(Holder::NOBODY);
        self.freed.insert(name.to_owned(), tensor.holder.clone());
        self.slots.remove(name);
        self.changes += 1;
        Ok(())
    }

    /// Appends a tensor whose name is free.
    pub(super) fn admit(&mut self, mut tensor: Tensor) {
        let slot = self.tensors.len();
        if let Some(holder) = self.freed.remove(&tensor.name) {
            tensor.holder = holder;
        }
        tensor.holder.pass_to(slot);
        self.slots.insert(tensor.name.clone(), slot);
        self.tensors.push(tensor);
        self.changes += 1;
    }

    fn stand(&mut self, name: &str, standing: Standing) -> Result<(), GpuOptimError> {
        let slot = self.slot(name)?;
        self.tensors[slot].standing = standing;
        self.changes += 1;
        Ok(())
    }

    /// Whether a tensor of this name is in the set, or was.
    pub(crate) fn has_had(&self, name: &str) -> bool {
        self.slots.contains_key(name) || self.freed.contains_key(name)
    }
}
