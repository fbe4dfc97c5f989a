//! Parameters as they were at some time, on the device.

use crate::averaging::copy_over;
use crate::params::{Beside, Kind};
use crate::programs::{Distance, DistanceParams};
use crate::{GpuOptimError, Optimizer, ParamSet};

/// A copy of the parameters of a set, on the device: to go back to, and to measure how far they have come.
///
/// ```
/// use optirs_gpu::ndarray::arr1;
/// use optirs_gpu::{Device, GpuSgd, ParamSet, SgdParams, Snapshot};
///
/// let mut params = ParamSet::new(&Device::cpu(), [("w", arr1(&[0.0f32])), ("b", arr1(&[0.0]))])?;
/// let mut optimizer = GpuSgd::on(params.device(), SgdParams { learning_rate: 0.5, ..SgdParams::default() })?;
/// params.write_grad("w", &arr1(&[6.0]))?;
/// params.write_grad("b", &arr1(&[8.0]))?;
/// let mut before = Snapshot::of(&params)?;
/// optimizer.step(&mut params)?;
/// assert_eq!(before.distance(&params)?, 5.0); // the norm of the update
/// # Ok::<(), optirs_gpu::GpuOptimError>(())
/// ```
#[derive(Debug)]
pub struct Snapshot {
    kept: Beside,
    measuring: Optimizer<Distance>,
}

impl Snapshot {
    /// Copies the parameters.
    ///
    /// # Errors
    /// What the device says when it has no memory.
    pub fn of(params: &ParamSet) -> Result<Self, GpuOptimError> {
        let measuring = Optimizer::on(params.device(), DistanceParams {})?;
        let mut snapshot = Self { kept: Beside::of(params, Kind::Param)?, measuring };
        copy_over(&mut snapshot.kept.set, 1.0)?;
        Ok(snapshot)
    }

    /// Copies the parameters as they are now, into the same memory.
    ///
    /// # Errors
    /// [`GpuOptimError::InvalidState`] for another set than the snapshot was made of; what the device says.
    pub fn retake(&mut self, params: &ParamSet) -> Result<(), GpuOptimError> {
        self.kept.follow(params)?;
        copy_over(&mut self.kept.set, 1.0)
    }

    /// The 2-norm of what all parameters have changed by since, over all tensors: after a step, the norm of the update. It
    /// takes a pass over the parameters, and waits for it.
    ///
    /// # Errors
    /// [`GpuOptimError::InvalidState`] for another set than the snapshot was made of, or one that has gained tensors since;
    /// what the device says.
    pub fn distance(&mut self, params: &ParamSet) -> Result<f32, GpuOptimError> {
        self.follow(params)?;
        if !self.kept.set.tensors().iter().any(|tensor| tensor.takes_part(true)) {
            return Ok(0.0);
        }
        self.measuring.step(&mut self.kept.set)?;
        self.measuring.state_of_all("norm")
    }

    /// Overwrites the parameters by what they were, on the device.
    ///
    /// # Errors
    /// As [`Snapshot::distance`]; the parameters are as they were then.
    pub fn restore(&mut self, params: &mut ParamSet) -> Result<(), GpuOptimError> {
        self.follow(params)?;
        copy_over(&mut self.kept.reversed(), 1.0)
    }

    fn follow(&mut self, params: &ParamSet) -> Result<(), GpuOptimError> {
        let (held, now) = (self.kept.set.tensors().len(), params.tensors().len());
        if held < now {
            return Err(GpuOptimError::InvalidState(format!(
                "the set has {now} tensors, and had {held} when the snapshot was taken: call `retake`"
            )));
        }
        self.kept.follow(params)
    }
}
