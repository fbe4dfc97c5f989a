//! Values that change over training: warm-up, decay, restarts, and any function of the step.
//!
//! A [`Schedule`] is a function of a count of updates, 0 for the first, and of nothing else: the same count gives the same
//! value, so that training resumes where it stopped as soon as its counter is back. It is worked out in f64 from arguments
//! that are taken as the decimals they were written as, and rounded to f32 once.

mod curves;
mod one_cycle;
mod pieces;
#[cfg(test)]
mod tests;

use core::fmt;
use std::sync::Arc;

pub use one_cycle::OneCycle;

use crate::GpuOptimError;
use crate::rule::{check, math};

/// The value of a hyper-parameter at each step.
///
/// Written `v(t)` below, with t the updates taken before: t = 0 is the first update, as in PyTorch and optax. A value that
/// has arrived stays: nothing wraps around and nothing ends.
///
/// | here | `torch.optim.lr_scheduler` | `optax` |
/// |---|---|---|
/// | [`constant`](Schedule::constant) | `ConstantLR` with `factor=1` | `constant_schedule` |
/// | [`linear`](Schedule::linear) | `LinearLR` | `linear_schedule` |
/// | [`step`](Schedule::step) | `StepLR` | `exponential_decay(…, staircase=True)` |
/// | [`multi_step`](Schedule::multi_step) | `MultiStepLR` | `piecewise_constant_schedule` with equal scales |
/// | [`exponential`](Schedule::exponential) | `ExponentialLR` | `exponential_decay` |
/// | [`cosine`](Schedule::cosine) | `CosineAnnealingLR` up to `T_max` | `cosine_decay_schedule` |
/// | [`cosine_restarts`](Schedule::cosine_restarts) | `CosineAnnealingWarmRestarts` | `sgdr_schedule` of equal peaks |
/// | [`polynomial`](Schedule::polynomial) | `PolynomialLR` | `polynomial_schedule` |
/// | [`OneCycle`] | `OneCycleLR` | — |
/// | [`piecewise_constant`](Schedule::piecewise_constant) | — | `piecewise_constant_schedule`, values for scales |
/// | [`piecewise_linear`](Schedule::piecewise_linear) | — | `piecewise_interpolate_schedule('linear', …)`, values for scales |
/// | [`a.then(steps, b)`](Schedule::then) | `SequentialLR` | `join_schedules` |
/// | [`of`](Schedule::of) | `LambdaLR`, without the base rate as a factor | any function |
///
/// ```
/// use optirs_gpu::Schedule;
///
/// // optax.warmup_cosine_decay_schedule(0.0, 1e-3, 100, 1000, 1e-5)
/// let rate = Schedule::linear(0.0, 1e-3, 100)?.then(100, Schedule::cosine(1e-3, 1e-5, 900)?);
/// assert_eq!([0, 50, 100, 550, 1000, 9999].map(|t| rate.at(t)), [0.0, 5e-4, 1e-3, 5.05e-4, 1e-5, 1e-5]);
/// # Ok::<(), optirs_gpu::GpuOptimError>(())
/// ```
#[derive(Clone)]
pub struct Schedule {
    /// What `Debug` shows.
    shape: &'static str,
    value: Arc<dyn Fn(u64) -> f64 + Send + Sync>,
}

impl Schedule {
    /// The value for the update that comes after `step` others.
    pub fn at(&self, step: u64) -> f32 {
        (self.value)(step) as f32
    }

    /// `v(t) = function(t)`. What it gives is checked when a step uses it, as what is set by hand is.
    pub fn of(function: impl Fn(u64) -> f32 + Send + Sync + 'static) -> Schedule {
        Schedule::new("of", move |step| math::decimal(function(step)))
    }

    /// This schedule for the first `steps` updates, then another one, which counts from 0 there:
    /// `v(t) = self(t)` for t < steps, else `next(t − steps)`.
    pub fn then(self, steps: u64, next: Schedule) -> Schedule {
        Schedule::new("then", move |step| match step.checked_sub(steps) {
            None => (self.value)(step),
            Some(later) => (next.value)(later),
        })
    }

    fn new(shape: &'static str, value: impl Fn(u64) -> f64 + Send + Sync + 'static) -> Schedule {
        Schedule { shape, value: Arc::new(value) }
    }
}

impl fmt::Debug for Schedule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let begins = [0, 1, 2].map(|step| self.at(step));
        formatter.debug_struct("Schedule").field("shape", &self.shape).field("begins", &begins).finish_non_exhaustive()
    }
}

/// Which share of the way has been gone, 0 to 1.
fn progress(step: u64, steps: u64) -> f64 {
    if step >= steps { 1.0 } else { step as f64 / steps as f64 }
}

/// A value to schedule, as the decimal that was written.
fn value(field: &'static str, value: f32) -> Result<f64, GpuOptimError> {
    check::real(field, value, .., "..")?;
    Ok(math::decimal(value))
}

/// A number from 0 up: a factor or an exponent.
fn magnitude(field: &'static str, value: f32) -> Result<f64, GpuOptimError> {
    check::real(field, value, 0.0.., "0.0..")?;
    Ok(math::decimal(value))
}

/// A number of steps that something is divided by.
fn period(field: &'static str, steps: u64) -> Result<u64, GpuOptimError> {
    if steps > 0 { Ok(steps) } else { Err(GpuOptimError::OutOfRange { field, value: 0.0, range: "1.." }) }
}

/// Steps at which something changes must each be later than the one before.
fn ascending(what: &str, steps: impl Iterator<Item = u64> + Clone) -> Result<(), GpuOptimError> {
    match steps.clone().zip(steps.skip(1)).find(|(earlier, later)| earlier >= later) {
        None => Ok(()),
        Some((earlier, later)) => {
            Err(GpuOptimError::Requirement(format!("{what} must rise: {later} comes after {earlier}")))
        }
    }
}
