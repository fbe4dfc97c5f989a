//! Writing states and counters: for training that begins with what another library has left.

use scirs2_core::ndarray::{ArrayBase, Data, Dimension};

use super::Optimizer;
use super::states::{on_device, on_host};
use super::storage::Storage;
use crate::params::same_shape;
use crate::rule::{Rule, StateKind};
use crate::{GpuOptimError, ParamSet};

impl<R: Rule> Optimizer<R> {
    /// Overwrites a state of a tensor, as [`Optimizer::state`] reads it: of the tensor's shape for a state of elements,
    /// without dimensions for one of the tensor or of the optimizer. Where no step has touched the tensor, its other
    /// states get their first values. Rules that depend on the count of steps need that, too:
    /// [`Optimizer::set_tensor_step_count`].
    ///
    /// ```
    /// use optirs_gpu::ndarray::arr1;
    /// use optirs_gpu::{AdamWParams, Device, GpuAdamW, ParamSet};
    ///
    /// let device = Device::cpu();
    /// let params = ParamSet::new(&device, [("w", arr1(&[1.0f32, 2.0]))])?;
    /// let mut optimizer = GpuAdamW::on(&device, AdamWParams::default())?;
    /// // optimizer.state_dict()["state"][0] of torch: exp_avg, exp_avg_sq, step.
    /// optimizer.write_state(&params, "m", "w", &arr1(&[0.1f32, -0.2]))?;
    /// optimizer.write_state(&params, "v", "w", &arr1(&[0.01f32, 0.04]))?;
    /// optimizer.set_tensor_step_count(&params, "w", 3)?;
    /// assert_eq!(optimizer.state("v", "w")?, arr1(&[0.01f32, 0.04]).into_dyn());
    /// # Ok::<(), optirs_gpu::GpuOptimError>(())
    /// ```
    ///
    /// # Errors
    /// [`GpuOptimError::UnknownTensor`]; [`GpuOptimError::InvalidState`] for a state that the rule does not have under its
    /// options or that lives on the host, or a set that the optimizer does not step;
    /// [`GpuOptimError::ShapeMismatch`]. Where the device fails in the middle of a large tensor, a part of its values
    /// may have been overwritten: write them again.
    pub fn write_state<S, D>(
        &mut self,
        params: &ParamSet,
        state: &str,
        tensor: &str,
        values: &ArrayBase<S, D>,
    ) -> Result<(), GpuOptimError>
    where
        S: Data<Elem = f32>,
        D: Dimension,
    {
        let slot = params.slot(tensor)?;
        let (kind, place) = self.place(state)?;
        let shape: &[usize] = match kind {
            StateKind::Element => &params.tensors()[slot].shape,
            StateKind::Tensor | StateKind::All => &[],
            StateKind::Host => return Err(on_host(state)),
        };
        same_shape(tensor, shape, values.shape())?;
        let word = match kind {
            StateKind::Tensor => self.variant().tensor_start(slot) + place,
            _ => self.variant().header_words + place,
        };
        let words: Vec<u32> = values.iter().map(|value| value.to_bits()).collect();
        self.touch(params, slot, |storage| match kind {
            StateKind::Element => storage.write_cell(slot, place, &words),
            _ => storage.device.raw().write(&storage.scalars, word as u64, &words),
        })
    }

    /// Overwrites a state of the host, as [`Optimizer::host_state`] reads it.
    ///
    /// # Errors
    /// As [`Optimizer::write_state`]; [`GpuOptimError::OutOfRange`] unless the value is finite.
    pub fn write_host_state(
        &mut self,
        params: &ParamSet,
        state: &str,
        tensor: &str,
        value: f64,
    ) -> Result<(), GpuOptimError> {
        let slot = params.slot(tensor)?;
        let (StateKind::Host, place) = self.place(state)? else {
            return Err(on_device(state));
        };
        if !value.is_finite() {
            return Err(GpuOptimError::OutOfRange { field: "value", value, range: ".." });
        }
        self.touch(params, slot, |_| Ok(()))?;
        self.own_cohort(slot).host[place] = value;
        Ok(())
    }

    /// Sets the updates that a tensor has taken: the next one counts from there.
    ///
    /// # Errors
    /// [`GpuOptimError::UnknownTensor`]; [`GpuOptimError::InvalidState`] for a set that the optimizer does not step.
    pub fn set_tensor_step_count(&mut self, params: &ParamSet, tensor: &str, steps: u64) -> Result<(), GpuOptimError> {
        let slot = params.slot(tensor)?;
        self.touch(params, slot, |_| Ok(()))?;
        self.own_cohort(slot).steps = steps;
        Ok(())
    }

    /// Sets the updates that the optimizer has taken, which schedules follow.
    pub fn set_step_count(&mut self, steps: u64) {
        self.run = steps;
        if let Some(pending) = &mut self.pending {
            pending.before.run = steps;
        }
    }

    /// Gives a tensor its first states, unless it has them, and writes some of them.
    fn touch(
        &mut self,
        params: &ParamSet,
        slot: usize,
        write: impl FnOnce(&Storage) -> Result<(), GpuOptimError>,
    ) -> Result<(), GpuOptimError> {
        self.conclude()?;
        self.home(params)?;
        self.track(params)?;
        self.check_new_shapes(&[slot])?;
        // A clone holds the same buffers, so that what the call has grown can be given back.
        let mut storage = match self.storage.clone() {
            Some(storage) => storage,
            None => self.new_storage(params)?,
        };
        let begun = storage.cover(params).and_then(|()| self.first_values(&mut storage, &[slot], params));
        if let Err(error) = begun.and_then(|()| write(&storage)) {
            self.storage = self.storage.take().map(|held| held.after(&storage));
            return Err(error);
        }
        self.keep(storage);
        if !self.cohort(&self.tensors[slot]).touched {
            let host = self.host_states(&self.tensors[slot]);
            let cohort = self.own_cohort(slot);
            (cohort.host, cohort.touched) = (host, true);
        }
        self.all_touched = true;
        Ok(())
    }
}
