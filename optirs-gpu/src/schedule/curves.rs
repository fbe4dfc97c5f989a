//! Schedules of one formula.

use core::f64::consts::PI;

use super::{Schedule, ascending, magnitude, period, progress, value};
use crate::GpuOptimError;

impl Schedule {
    /// `v(t) = value`.
    ///
    /// # Errors
    /// [`GpuOptimError::OutOfRange`] unless it is finite.
    pub fn constant(value: f32) -> Result<Schedule, GpuOptimError> {
        let value = self::value("value", value)?;
        Ok(Schedule::new("constant", move |_| value))
    }

    /// `v(t) = from + (to − from) · min(t / steps, 1)`: a warm-up from 0, or a linear decay. Over 0 steps it is at `to` at
    /// once.
    ///
    /// # Errors
    /// [`GpuOptimError::OutOfRange`] unless both values are finite.
    pub fn linear(from: f32, to: f32, steps: u64) -> Result<Schedule, GpuOptimError> {
        let (from, to) = (value("from", from)?, value("to", to)?);
        Ok(Schedule::new("linear", move |step| from + (to - from) * progress(step, steps)))
    }

    /// `v(t) = initial · factor^⌊t / period⌋`.
    ///
    /// # Errors
    /// [`GpuOptimError::OutOfRange`] unless `initial` is finite, `factor` finite and not negative, `period` at least 1.
    pub fn step(initial: f32, factor: f32, period: u64) -> Result<Schedule, GpuOptimError> {
        let (initial, factor) = (value("initial", initial)?, magnitude("factor", factor)?);
        let period = self::period("period", period)?;
        Ok(Schedule::new("step", move |step| initial * factor.powf((step / period) as f64)))
    }

    /// `v(t) = initial · factor^n`, where n of the milestones are at t or before.
    ///
    /// # Errors
    /// [`GpuOptimError::OutOfRange`] unless `initial` is finite, and `factor` finite and not negative;
    /// [`GpuOptimError::Requirement`] unless each milestone is later than the one before.
    pub fn multi_step(
        initial: f32,
        factor: f32,
        milestones: impl IntoIterator<Item = u64>,
    ) -> Result<Schedule, GpuOptimError> {
        let (initial, factor) = (value("initial", initial)?, magnitude("factor", factor)?);
        let milestones: Vec<u64> = milestones.into_iter().collect();
        ascending("milestones", milestones.iter().copied())?;
        Ok(Schedule::new("multi_step", move |step| {
            let passed = milestones.partition_point(|milestone| *milestone <= step);
            initial * factor.powf(passed as f64)
        }))
    }

    /// `v(t) = initial · factor^(t / period)`. PyTorch's has a period of 1.
    ///
    /// # Errors
    /// As [`Schedule::step`].
    pub fn exponential(initial: f32, factor: f32, period: u64) -> Result<Schedule, GpuOptimError> {
        let (initial, factor) = (value("initial", initial)?, magnitude("factor", factor)?);
        let period = self::period("period", period)? as f64;
        Ok(Schedule::new("exponential", move |step| initial * factor.powf(step as f64 / period)))
    }

    /// `v(t) = to + (from − to) · (1 + cos(π · min(t / steps, 1))) / 2`, without restarts (Loshchilov & Hutter, "SGDR:
    /// Stochastic Gradient Descent with Warm Restarts", ICLR 2017). It stays at `to` after that, where PyTorch's
    /// `CosineAnnealingLR` rises again. Over 0 steps it is at `to` at once.
    ///
    /// # Errors
    /// [`GpuOptimError::OutOfRange`] unless both values are finite.
    pub fn cosine(from: f32, to: f32, steps: u64) -> Result<Schedule, GpuOptimError> {
        let (from, to) = (value("from", from)?, value("to", to)?);
        Ok(Schedule::new("cosine", move |step| along_cosine(from, to, progress(step, steps))))
    }

    /// [`Schedule::cosine`] over and over: the first time over `period` steps, then over `growth` times as many as the
    /// time before. Each begins at `from` again.
    ///
    /// # Errors
    /// [`GpuOptimError::OutOfRange`] unless both values are finite, and `period` and `growth` at least 1.
    pub fn cosine_restarts(from: f32, to: f32, period: u64, growth: u64) -> Result<Schedule, GpuOptimError> {
        let (from, to) = (value("from", from)?, value("to", to)?);
        let (first, growth) = (self::period("period", period)?, self::period("growth", growth)?);
        Ok(Schedule::new("cosine_restarts", move |step| {
            let (mut rest, mut length) = (step, first);
            if growth == 1 {
                rest %= length;
            }
            while rest >= length {
                rest -= length;
                length = length.saturating_mul(growth);
            }
            along_cosine(from, to, rest as f64 / length as f64)
        }))
    }

    /// `v(t) = to + (from − to) · (1 − min(t / steps, 1))^power`. Over 0 steps it is at `to` at once.
    ///
    /// # Errors
    /// [`GpuOptimError::OutOfRange`] unless both values are finite, and `power` is finite and above 0.
    pub fn polynomial(from: f32, to: f32, steps: u64, power: f32) -> Result<Schedule, GpuOptimError> {
        let (from, to) = (value("from", from)?, value("to", to)?);
        let power = magnitude("power", power)?;
        if power == 0.0 {
            return Err(GpuOptimError::OutOfRange { field: "power", value: power, range: "above 0.0" });
        }
        Ok(Schedule::new("polynomial", move |step| to + (from - to) * (1.0 - progress(step, steps)).powf(power)))
    }
}

/// From one value to another along half a cosine; `share` of the way has been gone.
pub(super) fn along_cosine(from: f64, to: f64, share: f64) -> f64 {
    // Where it arrives, it is there exactly.
    if share >= 1.0 { to } else { to + (from - to) * (1.0 + (PI * share).cos()) / 2.0 }
}
