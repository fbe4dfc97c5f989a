//! Gradients of several micro-batches, summed on the device.

use crate::averaging::copy_over;
use crate::params::{Beside, Kind};
use crate::programs::{Accumulate, AccumulateParams};
use crate::{GpuOptimError, Optimizer, ParamSet};

/// Sums the gradients of micro-batches, so that a step sees those of one large batch. It keeps as much memory as the
/// gradients take; each call is one or two submissions, and waits for nothing.
///
/// ```
/// use optirs_gpu::ndarray::arr1;
/// use optirs_gpu::{Device, GpuSgd, GradientAccumulator, ParamSet, SgdParams};
///
/// let mut params = ParamSet::new(&Device::cpu(), [("w", arr1(&[1.0f32]))])?;
/// let mut optimizer = GpuSgd::on(params.device(), SgdParams { learning_rate: 1.0, ..SgdParams::default() })?;
/// let mut gradients = GradientAccumulator::new(&params)?;
/// for gradient in [0.25, 0.75] {
///     params.write_grad("w", &arr1(&[gradient]))?; // or a kernel of yours writes it in place
///     gradients.add(&params)?;
/// }
/// gradients.mean_into(&mut params)?;
/// optimizer.step(&mut params)?;
/// assert_eq!(params.read("w")?[[0]], 0.5);
/// # Ok::<(), optirs_gpu::GpuOptimError>(())
/// ```
#[derive(Debug)]
pub struct GradientAccumulator {
    kept: Beside,
    summing: Optimizer<Accumulate>,
    micro_batches: u32,
    /// By slot: whether the sum holds a gradient.
    holds: Vec<bool>,
    /// By slot: whether the micro-batch that is being added is in it, where a call failed between two submissions.
    added: Vec<bool>,
}

impl GradientAccumulator {
    /// Of a set's gradients; nothing is in it.
    ///
    /// # Errors
    /// What the device says when it has no memory.
    pub fn new(params: &ParamSet) -> Result<Self, GpuOptimError> {
        let summing = Optimizer::on(params.device(), AccumulateParams {})?;
        let kept = Beside::of(params, Kind::Gradient)?;
        Ok(Self { kept, summing, micro_batches: 0, holds: Vec::new(), added: Vec::new() })
    }

    /// Adds the gradients that the set has now: of the tensors that a step would take. They may be overwritten after it.
    ///
    /// # Errors
    /// [`GpuOptimError::InvalidState`] for another set than the accumulator was made of; what the device says. The same
    /// call again finishes what one has begun.
    pub fn add(&mut self, params: &ParamSet) -> Result<(), GpuOptimError> {
        self.kept.follow(params)?;
        let tensors = params.tensors();
        self.holds.resize(tensors.len(), false);
        self.added.resize(tensors.len(), false);
        // The first gradient is taken over: what the memory held before is of another round.
        for first in [true, false] {
            let takes =
                |slot: &usize| tensors[*slot].takes_part(true) && !self.added[*slot] && self.holds[*slot] != first;
            let slots: Vec<usize> = (0..tensors.len()).filter(takes).collect();
            if slots.is_empty() {
                continue;
            }
            (0..tensors.len()).for_each(|slot| self.kept.take(slot, false));
            slots.iter().for_each(|slot| self.kept.take(*slot, true));
            match first {
                true => self.summing.run_entry("assign", &mut self.kept.set)?,
                false => self.summing.step(&mut self.kept.set)?,
            }
            for slot in slots {
                (self.holds[slot], self.added[slot]) = (true, true);
            }
        }
        self.added.fill(false);
        self.micro_batches += 1;
        Ok(())
    }

    /// Micro-batches that are in it.
    pub fn micro_batches(&self) -> u32 {
        self.micro_batches
    }

    /// Overwrites the set's gradients by the sum, and begins anew. Tensors without a gradient in any micro-batch have none
    /// then.
    ///
    /// # Errors
    /// As [`GradientAccumulator::add`]; [`GpuOptimError::InvalidState`] where nothing has been added. The set is as it was
    /// then.
    pub fn sum_into(&mut self, params: &mut ParamSet) -> Result<(), GpuOptimError> {
        self.put(params, 1.0)
    }

    /// As [`GradientAccumulator::sum_into`], with the sum divided by the number of micro-batches (times its reciprocal, in
    /// f32): the gradients of their mean loss.
    ///
    /// # Errors
    /// As [`GradientAccumulator::sum_into`].
    pub fn mean_into(&mut self, params: &mut ParamSet) -> Result<(), GpuOptimError> {
        self.put(params, 1.0 / self.micro_batches.max(1) as f32)
    }

    fn put(&mut self, params: &mut ParamSet, factor: f32) -> Result<(), GpuOptimError> {
        if self.micro_batches == 0 {
            return Err(GpuOptimError::InvalidState("no gradients have been added: call `add` first".to_owned()));
        }
        self.kept.follow(params)?;
        self.holds.resize(params.tensors().len(), false);
        for (slot, holds) in self.holds.iter().enumerate() {
            self.kept.take(slot, *holds);
        }
        copy_over(&mut self.kept.reversed(), factor)?;
        params.have_grads(&self.holds);
        self.holds.fill(false);
        self.micro_batches = 0;
        Ok(())
    }
}

#[cfg(test)]
#[path = "accumulation_tests.rs"]
mod tests;
