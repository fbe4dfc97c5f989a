//! Reading states: where they are, on the device or parked on the host.

use scirs2_core::ndarray::ArrayD;

use super::Optimizer;
use crate::GpuOptimError;
use crate::params::array;
use crate::rule::{Rule, StateKind};

impl<R: Rule> Optimizer<R> {
    /// A state by its field name: of the tensor's shape for a state of elements, without dimensions for one of the
    /// tensor, of the optimizer or of the host.
    ///
    /// # Errors
    /// [`GpuOptimError::UnknownTensor`] for a tensor that no step has seen; [`GpuOptimError::InvalidState`] for a state
    /// that the rule does not have under its options, or that no step has touched.
    pub fn state(&self, state: &str, tensor: &str) -> Result<ArrayD<f32>, GpuOptimError> {
        let slot = self.slot_of(tensor)?;
        let place = self.place(state)?;
        let (touched, _, host) = self.counted(slot)?;
        if !touched {
            return Err(untouched(state, tensor));
        }
        match place {
            (StateKind::Element, cell) => array(&self.tensors[slot].shape, self.cell(slot, cell)?),
            (StateKind::Tensor, word) => array(&[], vec![self.scalar(self.variant().tensor_start(slot) + word)?]),
            (StateKind::All, word) => array(&[], vec![self.scalar(self.variant().header_words + word)?]),
            (StateKind::Host, place) => array(&[], vec![(host[place] as f32).to_bits()]),
        }
    }

    /// A state of the host in full precision.
    ///
    /// # Errors
    /// As [`Optimizer::state`].
    pub fn host_state(&self, state: &str, tensor: &str) -> Result<f64, GpuOptimError> {
        let (touched, _, host) = self.counted(self.slot_of(tensor)?)?;
        match self.place(state)? {
            (StateKind::Host, place) if touched => Ok(host[place]),
            (StateKind::Host, _) => Err(untouched(state, tensor)),
            _ => Err(on_device(state)),
        }
    }

    /// A state of all tensors.
    pub(crate) fn state_of_all(&self, state: &str) -> Result<f32, GpuOptimError> {
        match self.place(state)? {
            (StateKind::All, word) => Ok(f32::from_bits(self.scalar(self.variant().header_words + word)?)),
            _ => Err(GpuOptimError::InvalidState(format!("`{state}` is not one of all tensors: call `state`"))),
        }
    }

    /// Where a state lies: its place among those of its kind.
    pub(super) fn place(&self, name: &str) -> Result<(StateKind, usize), GpuOptimError> {
        let variant = self.variant();
        let of_kind = |kind| match kind {
            StateKind::Element => variant.element_states,
            StateKind::Tensor => variant.tensor_states,
            StateKind::All => variant.all_states,
            StateKind::Host => variant.host_states,
        };
        let declared = R::STATES.iter().position(|state| state.name == name);
        let found = declared.and_then(|index| {
            let kind = R::STATES[index].kind;
            Some((kind, of_kind(kind).iter().position(|other| *other == index)?))
        });
        found.ok_or_else(|| {
            let names = [variant.element_states, variant.tensor_states, variant.all_states, variant.host_states];
            let names: Vec<&str> = names.concat().iter().map(|index| R::STATES[*index].name).collect();
            GpuOptimError::InvalidState(format!(
                "`{}` has no state `{name}` under these options; it has: {}",
                R::NAME,
                names.join(", ")
            ))
        })
    }

    pub(super) fn cell(&self, slot: usize, cell: usize) -> Result<Vec<u32>, GpuOptimError> {
        match (&self.parked, &self.storage) {
            (Some(parked), _) => parked.cell(slot, cell).map(<[u32]>::to_vec).ok_or_else(nowhere),
            (None, Some(storage)) => storage.read_cell(slot, cell),
            (None, None) => Err(nowhere()),
        }
    }

    pub(super) fn scalar(&self, word: usize) -> Result<u32, GpuOptimError> {
        match (&self.parked, &self.storage) {
            (Some(parked), _) => parked.scalar(word).ok_or_else(nowhere),
            (None, Some(storage)) => {
                let mut words = [0];
                storage.device.raw().read(&storage.scalars, word as u64, &mut words)?;
                Ok(words[0])
            }
            (None, None) => Err(nowhere()),
        }
    }
}

pub(super) fn on_device(state: &str) -> GpuOptimError {
    GpuOptimError::InvalidState(format!("`{state}` lives on the device: call `state` or `write_state`"))
}

pub(super) fn on_host(state: &str) -> GpuOptimError {
    GpuOptimError::InvalidState(format!("`{state}` lives on the host: call `write_host_state`"))
}

fn untouched(state: &str, tensor: &str) -> GpuOptimError {
    GpuOptimError::InvalidState(format!(
        "tensor `{tensor}` has no state `{state}` yet: it has not taken part in a step"
    ))
}

fn nowhere() -> GpuOptimError {
    GpuOptimError::InvalidState("the optimizer has no states yet".to_owned())
}
