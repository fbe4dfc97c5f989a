//! Extra arguments of a rule: `#[input]`, one value per element, and `#[scalar]`, one per step.

use scirs2_core::ndarray::{ArrayBase, Data, Dimension};

use super::Optimizer;
use super::storage::Storage;
use crate::params::{in_parts, regrown, same_shape};
use crate::rule::{Program, Role, Rule};
use crate::{GpuOptimError, ParamSet};

impl<R: Rule> Optimizer<R> {
    /// Gives a tensor its values of an `#[input]`, until they are overwritten; they move with the states.
    ///
    /// # Errors
    /// [`GpuOptimError::InvalidState`] for an input that the rule does not have, or a set that the optimizer does not
    /// step; [`GpuOptimError::UnknownTensor`]; [`GpuOptimError::ShapeMismatch`]. Where the device fails in the middle
    /// of a large tensor, a part of its values may have been overwritten: write them again.
    pub fn write_input<S, D>(
        &mut self,
        params: &ParamSet,
        input: &str,
        tensor: &str,
        values: &ArrayBase<S, D>,
    ) -> Result<(), GpuOptimError>
    where
        S: Data<Elem = f32>,
        D: Dimension,
    {
        let index = position(R::NAME, "#[input]", R::INPUTS, input)?;
        let slot = params.slot(tensor)?;
        same_shape(tensor, &params.tensors()[slot].shape, values.shape())?;
        self.home(params)?;
        self.track(params)?;
        if let Some(storage) = &mut self.storage {
            return storage.write_input(params, index, slot, values);
        }
        let mut storage = self.new_storage(params)?;
        storage.write_input(params, index, slot, values)?;
        self.keep(storage);
        Ok(())
    }

    /// Sets a `#[scalar]`, until it is set again.
    ///
    /// # Errors
    /// [`GpuOptimError::InvalidState`] for a scalar that the rule does not have, [`GpuOptimError::OutOfRange`] unless
    /// it is finite.
    pub fn set_scalar(&mut self, scalar: &str, value: f32) -> Result<(), GpuOptimError> {
        let index = position(R::NAME, "#[scalar]", R::SCALARS, scalar)?;
        if !value.is_finite() {
            let field = R::SCALARS[index];
            return Err(GpuOptimError::OutOfRange { field, value: f64::from(value), range: ".." });
        }
        self.scalars[index] = Some(value);
        Ok(())
    }

    /// The values of all scalars.
    pub(super) fn scalar_values(&self) -> Result<Vec<f32>, GpuOptimError> {
        let missing = |name: &str| {
            GpuOptimError::InvalidState(format!("call `set_scalar(\"{name}\", …)` before a step: the rule reads it"))
        };
        R::SCALARS.iter().zip(&self.scalars).map(|(name, value)| value.ok_or_else(|| missing(name))).collect()
    }

    /// A tensor's values of an input, if they have been written.
    #[cfg(feature = "checkpoint")]
    pub(super) fn input(&self, index: usize, slot: usize) -> Result<Option<Vec<u32>>, GpuOptimError> {
        match (&self.parked, &self.storage) {
            (Some(parked), _) => Ok(parked.inputs.get(index).and_then(|slots| slots.get(slot)).cloned().flatten()),
            (None, Some(storage)) if storage.written[index].get(slot) == Some(&true) => {
                storage.read_input(index, slot).map(Some)
            }
            (None, _) => Ok(None),
        }
    }

    /// Every input that the program binds has been written for every tensor that takes part.
    pub(super) fn check_inputs(
        &self,
        storage: &Storage,
        program: &Program,
        slots: &[usize],
    ) -> Result<(), GpuOptimError> {
        let binds = |role| program.kernels.iter().flat_map(|kernel| kernel.bindings).any(|bound| bound.role == role);
        for (index, name) in R::INPUTS.iter().enumerate().filter(|(index, _)| binds(Role::Input(*index as u8))) {
            let written = |slot: usize| storage.written[index].get(slot).copied().unwrap_or(false);
            if let Some(slot) = slots.iter().find(|slot| !written(**slot)) {
                return Err(GpuOptimError::InvalidState(format!(
                    "tensor `{}` has no `{name}`: call `write_input` before the step",
                    self.tensors[*slot].name
                )));
            }
        }
        Ok(())
    }
}

impl Storage {
    /// Inputs lie as parameters do. Nothing has changed if it fails but for values of this input and tensor.
    pub(super) fn write_input<S, D>(
        &mut self,
        params: &ParamSet,
        index: usize,
        slot: usize,
        values: &ArrayBase<S, D>,
    ) -> Result<(), GpuOptimError>
    where
        S: Data<Elem = f32>,
        D: Dimension,
    {
        let held = &self.inputs[index];
        let mut arenas = Vec::new();
        for (place, arena) in params.arenas().iter().enumerate() {
            arenas.push(regrown(&self.device, held.get(place), "inputs", arena.param.words)?);
        }
        let replaced = arenas.len() != held.len() || arenas.iter().zip(held).any(|(new, old)| new.words != old.words);
        let parts = &params.tensors()[slot].parts;
        in_parts(values, parts.iter().map(|part| part.len), |place, at, words| {
            self.device.raw().write(&arenas[parts[place].arena], parts[place].start + at, words)
        })?;
        self.cover(params)?;
        self.version += u64::from(replaced);
        self.inputs[index] = arenas;
        let written = &mut self.written[index];
        written.resize(params.tensors().len().max(written.len()), false);
        written[slot] = true;
        Ok(())
    }
}

fn position(rule: &str, kind: &str, names: &[&str], name: &str) -> Result<usize, GpuOptimError> {
    names.iter().position(|other| *other == name).ok_or_else(|| {
        let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        GpuOptimError::InvalidState(format!("`{rule}` has no {kind} `{name}`; it has: {names}"))
    })
}
