//! Loss scaling of an optimizer: its scaler follows its steps.

use super::Optimizer;
use crate::GpuOptimError;
use crate::mixed_precision::DynamicLossScaler;
use crate::rule::Rule;

impl<R: Rule> Optimizer<R> {
    /// Gives the optimizer a loss scaler, or takes it away. From then on gradients are taken to be those of the loss times
    /// [`Optimizer::loss_scale`], and a step with a gradient that is infinite or NaN, by its bits, is
    /// [skipped](crate::StepOutcome::Skipped): on the device, over all tensors. The gradients' own factor
    /// ([`Optimizer::set_grad_scale`]) is applied as well.
    ///
    /// ```
    /// use optirs_gpu::ndarray::array;
    /// use optirs_gpu::{Device, DynamicLossScaler, GpuSgd, MixedPrecisionConfig, ParamSet, SgdParams, StepOutcome};
    ///
    /// let mut params = ParamSet::new(&Device::cpu(), [("w", array![1.0f32, 2.0])])?;
    /// let mut optimizer = GpuSgd::on(params.device(), SgdParams::default())?;
    /// optimizer.set_loss_scaler(Some(DynamicLossScaler::new(MixedPrecisionConfig::default())))?;
    /// assert_eq!(optimizer.loss_scale()?, 65536.0);
    ///
    /// params.write_grad("w", &array![f32::INFINITY, 1.0])?; // of the loss times 65536
    /// optimizer.step(&mut params)?;
    /// assert_eq!(optimizer.last_step()?, StepOutcome::Skipped);
    /// assert_eq!(optimizer.loss_scale()?, 32768.0);
    /// assert_eq!(params.read("w")?, array![1.0, 2.0].into_dyn());
    /// # Ok::<(), optirs_gpu::GpuOptimError>(())
    /// ```
    ///
    /// # Errors
    /// [`GpuOptimError::OutOfRange`] names a field of the scaler's configuration that is not in its range;
    /// [`GpuOptimError::UnsupportedOperation`] for one of bfloat16, which has nothing to scale for; what waiting for the
    /// latest step says.
    pub fn set_loss_scaler(&mut self, scaler: impl Into<Option<DynamicLossScaler>>) -> Result<(), GpuOptimError> {
        let scaler = scaler.into();
        if let Some(config) = scaler.as_ref().map(DynamicLossScaler::config) {
            config.validate()?;
            if config.use_bfloat16 {
                return Err(GpuOptimError::UnsupportedOperation(
                    "`use_bfloat16`: gradients of bfloat16 have the range of f32; step without a loss scaler"
                        .to_owned(),
                ));
            }
        }
        self.conclude()?;
        self.scaler = scaler;
        Ok(())
    }

    /// The loss scaler, after the latest step; waits for that.
    ///
    /// # Errors
    /// What waiting for the device says.
    pub fn loss_scaler(&mut self) -> Result<Option<&DynamicLossScaler>, GpuOptimError> {
        self.conclude()?;
        Ok(self.scaler.as_ref())
    }

    /// What to multiply the next loss by; 1 without a scaler. Waits for the latest step.
    ///
    /// # Errors
    /// What waiting for the device says.
    pub fn loss_scale(&mut self) -> Result<f32, GpuOptimError> {
        Ok(self.loss_scaler()?.map_or(1.0, DynamicLossScaler::scale))
    }

    /// The loss scaler as it is after the latest step; waits for that.
    #[cfg(feature = "checkpoint")]
    pub(super) fn scaler_view(&self) -> Result<Option<DynamicLossScaler>, GpuOptimError> {
        let mut scaler = self.scaler.clone();
        if let (Some(scaler), Some(pending)) = (&mut scaler, &self.pending) {
            pending.tell(scaler)?;
        }
        Ok(scaler)
    }

    /// The factor of a group's gradients: its own, and what takes back the loss scale.
    pub(super) fn grad_factor(&self, group: usize) -> f64 {
        let scale = self.scaler.as_ref().map_or(1.0, DynamicLossScaler::scale);
        self.groups[group].factor() / f64::from(scale)
    }
}
