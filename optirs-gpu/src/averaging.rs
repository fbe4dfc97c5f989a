//! Averages of parameters over training, on the device.

use scirs2_core::ndarray::ArrayD;

use crate::params::{Beside, Kind};
use crate::programs::{Accumulate, AccumulateParams, Average, AverageParams};
use crate::{GpuOptimError, Optimizer, ParamSet};

/// An average of the parameters of a set: exponential, or the mean of all updates (Polyak averaging, SWA). It keeps as much
/// memory as the parameters take; an update is one submission, and waits for nothing.
///
/// ```
/// use optirs_gpu::ndarray::arr1;
/// use optirs_gpu::{Device, ParamSet, Snapshot, WeightAverage};
///
/// let mut params = ParamSet::new(&Device::cpu(), [("w", arr1(&[1.0f32]))])?;
/// let mut average = WeightAverage::exponential(&params, 0.5)?;
/// average.update(&params)?; // the first update takes the parameters over
/// params.write("w", &arr1(&[3.0]))?;
/// average.update(&params)?;
/// assert_eq!(average.read("w")?[[0]], 2.0);
///
/// let mut trained = Snapshot::of(&params)?;
/// average.copy_to(&mut params)?; // evaluate the average …
/// trained.restore(&mut params)?; // … and go on training
/// assert_eq!(params.read("w")?[[0]], 3.0);
/// # Ok::<(), optirs_gpu::GpuOptimError>(())
/// ```
#[derive(Debug)]
pub struct WeightAverage {
    kept: Beside,
    averaging: Optimizer<Average>,
}

impl WeightAverage {
    /// `a ← decay·a + (1 − decay)·p` at each update, `p` at a tensor's first.
    ///
    /// # Errors
    /// [`GpuOptimError::OutOfRange`] unless `decay` is in 0 ..= 1; what the device says when it has no memory.
    pub fn exponential(params: &ParamSet, decay: f32) -> Result<Self, GpuOptimError> {
        Self::with(params, AverageParams { decay: Some(decay) })
    }

    /// The mean of the parameters at all updates.
    ///
    /// # Errors
    /// What the device says when it has no memory.
    pub fn mean(params: &ParamSet) -> Result<Self, GpuOptimError> {
        Self::with(params, AverageParams { decay: None })
    }

    fn with(params: &ParamSet, rule: AverageParams) -> Result<Self, GpuOptimError> {
        let averaging = Optimizer::on(params.device(), rule)?;
        Ok(Self { kept: Beside::of(params, Kind::Param)?, averaging })
    }

    /// Takes in the parameters as they are now. Tensors that the set has gained begin with this update; frozen ones are
    /// averaged, too.
    ///
    /// # Errors
    /// [`GpuOptimError::InvalidState`] for another set than the average was made of; what the device says.
    pub fn update(&mut self, params: &ParamSet) -> Result<(), GpuOptimError> {
        self.kept.follow(params)?;
        self.averaging.step(&mut self.kept.set)
    }

    /// Sets the decay of an exponential average, from the next update on.
    ///
    /// # Errors
    /// As [`WeightAverage::exponential`]; [`GpuOptimError::InvalidState`] for a mean, which has none.
    pub fn set_decay(&mut self, decay: f32) -> Result<(), GpuOptimError> {
        self.averaging.set_params(AverageParams { decay: Some(decay) })
    }

    /// Updates so far.
    pub fn updates(&self) -> u64 {
        self.averaging.step_count()
    }

    /// Reads the average of a tensor.
    ///
    /// # Errors
    /// [`GpuOptimError::UnknownTensor`]; [`GpuOptimError::InvalidState`] where no update has seen the tensor.
    pub fn read(&self, tensor: &str) -> Result<ArrayD<f32>, GpuOptimError> {
        let slot = self.kept.set.slot(tensor)?;
        self.check(slot)?;
        self.kept.set.read(tensor)
    }

    /// Overwrites the parameters by their averages, on the device. [`Snapshot`](crate::Snapshot) keeps what they were.
    ///
    /// # Errors
    /// As [`WeightAverage::update`]; [`GpuOptimError::InvalidState`] where no update has seen a tensor. The parameters are
    /// as they were then.
    pub fn copy_to(&mut self, params: &mut ParamSet) -> Result<(), GpuOptimError> {
        self.kept.follow(params)?;
        for (slot, tensor) in self.kept.set.tensors().iter().enumerate() {
            if tensor.takes_part(true) {
                self.check(slot)?;
            }
        }
        copy_over(&mut self.kept.reversed(), 1.0)
    }

    fn check(&self, slot: usize) -> Result<(), GpuOptimError> {
        let tensor = &self.kept.set.tensors()[slot];
        if tensor.len == 0 || self.averaging.updates_of(slot) > 0 {
            return Ok(());
        }
        Err(GpuOptimError::InvalidState(format!("tensor `{}` has no average yet: call `update` first", tensor.name)))
    }
}

/// Overwrites a set's parameters by its gradients times a factor.
pub(crate) fn copy_over(set: &mut ParamSet, factor: f32) -> Result<(), GpuOptimError> {
    let mut writing = Optimizer::<Accumulate>::on(set.device(), AccumulateParams {})?;
    writing.set_grad_scale(factor)?;
    writing.run_entry("assign", set)
}
