//! Clipping of gradients, before a rule sees them.

use super::Optimizer;
use crate::GpuOptimError;
use crate::rule::Rule;
use crate::rule::math::decimal;

/// How gradients are clipped: after the loss scale and the sign are applied, before the rule sees them, on the device.
/// The gradients in a [`ParamSet`](crate::ParamSet) stay as they are.
///
/// Norms are summed so that f32 values up to 1e38 do not overflow them. A norm of 0 clips nothing, and a limit of 0 makes
/// gradients 0. Where gradients are clipped by a norm that is not finite, or hold an infinity or a NaN, the step is
/// [skipped](crate::StepOutcome::Skipped). To know which steps it has counted, the host then waits for a step before it
/// begins the next one, and never within one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Clipping {
    /// Not at all.
    #[default]
    Off,
    /// Every element to −c … c, as `torch.nn.utils.clip_grad_value_`. A NaN stays one.
    Value(f32),
    /// Each tensor's gradient to a 2-norm of at most this: times `min(1, max / norm)`.
    TensorNorm(f32),
    /// All gradients of a step together, of all groups, to a 2-norm of at most this, as
    /// `torch.nn.utils.clip_grad_norm_`, without its 1e-6 under the fraction.
    GlobalNorm(f32),
}

impl Clipping {
    fn check(self) -> Result<(), GpuOptimError> {
        let (field, limit) = match self {
            Clipping::Off => return Ok(()),
            Clipping::Value(limit) => ("Clipping::Value", limit),
            Clipping::TensorNorm(limit) => ("Clipping::TensorNorm", limit),
            Clipping::GlobalNorm(limit) => ("Clipping::GlobalNorm", limit),
        };
        crate::rule::check::real(field, limit, 0.0.., "0.0..")
    }
}

impl<R: Rule> Optimizer<R> {
    /// Sets how gradients are clipped, in all groups, from the next step on. No kernel is compiled for it.
    ///
    /// # Errors
    /// [`GpuOptimError::OutOfRange`] for a limit that is negative or not finite.
    pub fn set_clipping(&mut self, clipping: Clipping) -> Result<(), GpuOptimError> {
        clipping.check()?;
        self.clipping = clipping;
        Ok(())
    }

    /// How gradients are clipped.
    pub fn clipping(&self) -> Clipping {
        self.clipping
    }

    /// What an element of a gradient may be, in magnitude.
    pub(super) fn clip_value(&self) -> f64 {
        match self.clipping {
            Clipping::Off | Clipping::TensorNorm(_) | Clipping::GlobalNorm(_) => f64::INFINITY,
            Clipping::Value(limit) => decimal(limit),
        }
    }
}
