//! A step of loss-scaled training on the host.

use crate::mixed_precision::{DynamicLossScaler, MixedPrecisionConfig, OverflowStats};
use crate::{GpuOptimError, StepOutcome};

/// Scales losses, unscales gradients, and leaves out steps whose gradients overflowed. For an optimizer on a device,
/// [`Optimizer::set_loss_scaler`](crate::Optimizer::set_loss_scaler) does all of it there.
///
/// ```
/// use optirs_gpu::tensor_cores::MixedPrecisionTrainer;
/// use optirs_gpu::{MixedPrecisionConfig, StepOutcome};
///
/// let mut trainer = MixedPrecisionTrainer::new(MixedPrecisionConfig::default())?;
/// let mut weight = 1.0f32;
/// let mut gradients = [trainer.scale_loss(0.5)]; // the backward pass scales gradients as the loss is scaled
/// let step = trainer.step(&mut gradients, |gradients| {
///     weight -= 0.1 * gradients[0];
///     Ok(())
/// })?;
/// assert_eq!((step, weight), (StepOutcome::Taken, 0.95));
/// # Ok::<(), optirs_gpu::GpuOptimError>(())
/// ```
#[derive(Debug, Clone)]
pub struct MixedPrecisionTrainer {
    scaler: DynamicLossScaler,
}

impl MixedPrecisionTrainer {
    /// At the first scale.
    ///
    /// # Errors
    /// As [`MixedPrecisionConfig::validate`].
    pub fn new(config: MixedPrecisionConfig) -> Result<Self, GpuOptimError> {
        config.validate()?;
        Ok(Self { scaler: DynamicLossScaler::new(config) })
    }

    /// The scale of the next step.
    #[must_use]
    pub fn scale(&self) -> f32 {
        self.scaler.scale()
    }

    /// The loss to run the backward pass from.
    #[must_use]
    pub fn scale_loss(&self, loss: f32) -> f32 {
        loss * self.scaler.scale()
    }

    /// Overflows among the latest steps.
    #[must_use]
    pub fn overflow_stats(&self) -> OverflowStats {
        self.scaler.overflow_stats()
    }

    /// Divides the gradients by the scale and, if all are finite, has them applied: the step is taken. Else it is skipped.
    /// Then the scale follows.
    ///
    /// # Errors
    /// What `apply` returns: then the scale and its statistics are as before, and the gradients are unscaled.
    pub fn step(
        &mut self,
        gradients: &mut [f32],
        apply: impl FnOnce(&[f32]) -> Result<(), GpuOptimError>,
    ) -> Result<StepOutcome, GpuOptimError> {
        let mut after = self.scaler.clone();
        let has_overflow = after.unscale_and_check(gradients);
        if !has_overflow {
            apply(gradients)?;
        }
        self.scaler = after;
        Ok(if has_overflow { StepOutcome::Skipped } else { StepOutcome::Taken })
    }
}
