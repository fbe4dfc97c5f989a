//! The 1cycle policy, with PyTorch's conventions.

use super::curves::along_cosine;
use super::{Schedule, value};
use crate::GpuOptimError;
use crate::rule::check;

/// Up to a peak and far below where it began (Smith & Topin, "Super-Convergence: Very Fast Training of Neural Networks
/// Using Large Learning Rates", 2018), as `torch.optim.lr_scheduler.OneCycleLR`.
///
/// With `first = peak / divisor`, `last = first / final_divisor`, `w = warmup · steps − 1`: from `first` to `peak` at
/// t = w, then to `last` at t = steps − 1. In three phases: to `peak` at w, back to `first` at 2w, to `last` at steps − 1.
/// Each along half a cosine, or linearly. It stays at `last`, where PyTorch's raises an error.
///
/// ```
/// use optirs_gpu::OneCycle;
///
/// let rate = OneCycle { warmup: 0.25, ..OneCycle::new(0.1, 100) }.schedule()?;
/// assert_eq!([0, 24, 99, 500].map(|t| rate.at(t)), [4e-3, 0.1, 4e-7, 4e-7]);
/// # Ok::<(), optirs_gpu::GpuOptimError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OneCycle {
    /// The highest value (`max_lr`).
    pub peak: f32,
    /// Updates in all (`total_steps`), at least 1.
    pub steps: u64,
    /// Share of the updates in which it rises (`pct_start`), above 0 and below 1, in three phases at most 0.5.
    pub warmup: f32,
    /// What the peak is divided by for the first value (`div_factor`), above 0.
    pub divisor: f32,
    /// What the first value is divided by for the last (`final_div_factor`), above 0.
    pub final_divisor: f32,
    /// Linearly instead of along half a cosine (`anneal_strategy='linear'`).
    pub linear: bool,
    /// Back to the first value before the descent to the last (`three_phase`).
    pub three_phases: bool,
}

impl OneCycle {
    /// PyTorch's defaults: 30 % of the updates rise, from 1/25 of the peak; the end is at 1/10,000 of the beginning.
    pub fn new(peak: f32, steps: u64) -> OneCycle {
        OneCycle { peak, steps, warmup: 0.3, divisor: 25.0, final_divisor: 1e4, linear: false, three_phases: false }
    }

    /// The schedule.
    ///
    /// # Errors
    /// [`GpuOptimError::OutOfRange`] for a field outside what it says.
    pub fn schedule(self) -> Result<Schedule, GpuOptimError> {
        let peak = value("peak", self.peak)?;
        let steps = super::period("steps", self.steps)?;
        let (warmup, divisor) = (above_0("warmup", self.warmup)?, above_0("divisor", self.divisor)?);
        let final_divisor = above_0("final_divisor", self.final_divisor)?;
        if self.three_phases {
            check::real("warmup", self.warmup, ..=0.5, "..=0.5, for three phases")?;
        }
        check::real("warmup", self.warmup, ..1.0, "..1.0")?;

        let first = peak / divisor;
        let (last, rises) = (first / final_divisor, warmup * steps as f64 - 1.0);
        let end = (steps - 1) as f64;
        // Where each phase ends, and at which value.
        let phases = match self.three_phases {
            false => vec![(rises, peak), (end, last)],
            true => vec![(rises, peak), (2.0 * rises, first), (end, last)],
        };
        let linear = self.linear;
        Ok(Schedule::new("one_cycle", move |step| {
            let step = step as f64;
            let (mut begin, mut from) = (0.0, first);
            for (end, to) in &phases {
                if step <= *end {
                    let share = if *end > begin { (step - begin) / (end - begin) } else { 1.0 };
                    return if linear { from + (to - from) * share } else { along_cosine(from, *to, share) };
                }
                (begin, from) = (*end, *to);
            }
            last
        }))
    }
}

fn above_0(field: &'static str, number: f32) -> Result<f64, GpuOptimError> {
    let number = value(field, number)?;
    if number > 0.0 { Ok(number) } else { Err(GpuOptimError::OutOfRange { field, value: number, range: "above 0.0" }) }
}
