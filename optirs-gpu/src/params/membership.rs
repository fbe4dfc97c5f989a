//! Who is trained: tensors that are frozen for a while, and tensors that are gone.

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
        self.stand(name, Standing::Removed)?;
        self.slots.remove(name);
        Ok(())
    }

    fn stand(&mut self, name: &str, standing: Standing) -> Result<(), GpuOptimError> {
        let slot = self.slot(name)?;
        self.tensors[slot].standing = standing;
        Ok(())
    }

    /// Whether a tensor of this name is in the set, or was.
    pub(crate) fn has_had(&self, name: &str) -> bool {
        self.slots.contains_key(name) || self.tensors.iter().any(|tensor| tensor.name == name)
    }
}
