//! Loss scaling: gradients in 16 bits, or of a backward pass in 16 bits, underflow unless the loss is scaled up. The scale
//! falls when a gradient overflows, and grows while none does, as `torch.amp.GradScaler` has it.
//!
//! [`Optimizer::set_loss_scaler`](crate::Optimizer::set_loss_scaler) gives an optimizer a scaler, which then follows its
//! steps by itself.

use std::collections::VecDeque;

use crate::GpuOptimError;
use crate::rule::check;

/// How a loss scale moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MixedPrecisionConfig {
    /// The scale of the first step, in `min_scale ..= max_scale`.
    pub init_scale: f32,
    /// What the scale is multiplied by after `growth_interval` steps without an overflow: above 1.
    pub growth_factor: f32,
    /// What the scale is multiplied by after an overflow: above 0 and below 1.
    pub backoff_factor: f32,
    /// Steps in a row without an overflow, after which the scale grows: at least 1.
    pub growth_interval: u32,
    /// The scale never falls below this, which is above 0.
    pub min_scale: f32,
    /// The scale never grows above this.
    pub max_scale: f32,
    /// Whether gradients are bfloat16, whose range is that of f32: then there is nothing to scale for, and
    /// [`Optimizer::set_loss_scaler`](crate::Optimizer::set_loss_scaler) refuses it.
    pub use_bfloat16: bool,
}

impl Default for MixedPrecisionConfig {
    fn default() -> Self {
        Self {
            init_scale: 65536.0,
            growth_factor: 2.0,
            backoff_factor: 0.5,
            growth_interval: 2000,
            min_scale: 1.0,
            max_scale: 65536.0 * 128.0,
            use_bfloat16: false,
        }
    }
}

impl MixedPrecisionConfig {
    /// Checks every field.
    ///
    /// # Errors
    /// [`GpuOptimError::OutOfRange`] names the field that is not in its range.
    pub fn validate(&self) -> Result<(), GpuOptimError> {
        // A scale and its reciprocal are normal numbers then.
        check::real("min_scale", self.min_scale, f64::from(f32::MIN_POSITIVE).., "2^-126..")?;
        let (least, most) = (f64::from(self.min_scale), 2f64.powi(126));
        check::real("max_scale", self.max_scale, least..=most, "min_scale..=2^126")?;
        if !(self.min_scale..=self.max_scale).contains(&self.init_scale) {
            let (value, range) = (f64::from(self.init_scale), "min_scale..=max_scale");
            return Err(GpuOptimError::OutOfRange { field: "init_scale", value, range });
        }
        if !(self.growth_factor > 1.0 && self.growth_factor.is_finite()) {
            let value = f64::from(self.growth_factor);
            return Err(GpuOptimError::OutOfRange { field: "growth_factor", value, range: "above 1" });
        }
        if !(self.backoff_factor > 0.0 && self.backoff_factor.is_finite()) {
            let value = f64::from(self.backoff_factor);
            return Err(GpuOptimError::OutOfRange { field: "backoff_factor", value, range: "above 0" });
        }
        check::real("backoff_factor", self.backoff_factor, ..1.0, "..1.0")?;
        check::whole("growth_interval", self.growth_interval, 1.0.., "1..")
    }
}

/// Overflows among the latest [`DynamicLossScaler::WINDOW`] steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OverflowStats {
    /// Steps, at most a window of them.
    pub total_steps: usize,
    /// How many of them overflowed.
    pub overflow_count: usize,
    /// `overflow_count / total_steps`; 0 before the first step.
    pub overflow_rate: f32,
    /// The scale now.
    pub current_scale: f32,
}

/// A loss scale that follows overflows.
#[derive(Debug, Clone)]
pub struct DynamicLossScaler {
    config: MixedPrecisionConfig,
    scale: f32,
    /// Steps without an overflow since the scale last moved.
    streak: u32,
    /// Whether each of the latest steps overflowed.
    latest: VecDeque<bool>,
}

impl DynamicLossScaler {
    /// How many steps [`DynamicLossScaler::overflow_stats`] looks back.
    pub const WINDOW: usize = 100;

    /// A scaler at its first scale. The configuration is checked where an optimizer takes the scaler, or by
    /// [`MixedPrecisionConfig::validate`].
    #[must_use]
    pub fn new(config: MixedPrecisionConfig) -> Self {
        Self { config, scale: config.init_scale, streak: 0, latest: VecDeque::new() }
    }

    /// How it moves.
    #[must_use]
    pub fn config(&self) -> &MixedPrecisionConfig {
        &self.config
    }

    /// What the loss is multiplied by.
    #[must_use]
    pub fn scale(&self) -> f32 {
        self.scale
    }

    /// What gradients are multiplied by: 1 / scale.
    #[must_use]
    pub fn inv_scale(&self) -> f32 {
        1.0 / self.scale
    }

    /// The scale, and for how many steps nothing has overflowed.
    #[cfg(feature = "checkpoint")]
    pub(crate) fn standing(&self) -> (f32, u32) {
        (self.scale, self.streak)
    }

    /// Goes on from where another one stood.
    #[cfg(feature = "checkpoint")]
    pub(crate) fn resume(&mut self, scale: f32, streak: u32) {
        (self.scale, self.streak) = (scale, streak);
    }

    /// Follows a step: down after an overflow, up after enough steps without one.
    pub fn update(&mut self, has_overflow: bool) {
        let MixedPrecisionConfig { growth_factor, backoff_factor, growth_interval, min_scale, max_scale, .. } =
            self.config;
        if self.latest.len() == Self::WINDOW {
            self.latest.pop_front();
        }
        self.latest.push_back(has_overflow);
        if has_overflow {
            self.scale = (self.scale * backoff_factor).max(min_scale);
            self.streak = 0;
            return;
        }
        self.streak = self.streak.saturating_add(1);
        if self.streak >= growth_interval {
            self.scale = (self.scale * growth_factor).min(max_scale);
            self.streak = 0;
        }
    }

    /// Overflows among the latest steps.
    #[must_use]
    pub fn overflow_stats(&self) -> OverflowStats {
        let (total_steps, overflow_count) = (self.latest.len(), self.latest.iter().filter(|over| **over).count());
        let overflow_rate = if total_steps == 0 { 0.0 } else { overflow_count as f32 / total_steps as f32 };
        OverflowStats { total_steps, overflow_count, overflow_rate, current_scale: self.scale }
    }

    /// For gradients on the host: divides them by the scale, and follows the step. Whether one of them was infinite or
    /// NaN, so that the step is to be skipped.
    pub fn unscale_and_check(&mut self, values: &mut [f32]) -> bool {
        let inverse = self.inv_scale();
        let has_overflow = values.iter().any(|value| !value.is_finite());
        values.iter_mut().for_each(|value| *value *= inverse);
        self.update(has_overflow);
        has_overflow
    }
}

#[cfg(test)]
#[path = "loss_scale_tests.rs"]
mod tests;
