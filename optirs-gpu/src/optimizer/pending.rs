//! Steps that the device may skip. Where the guard runs before a step, only the device knows at first whether the step
//! was taken: it is counted as taken, what the host had before is kept, and the flag is on its way. Before the next rows
//! are made it is waited for, and a step that was skipped is taken back: then everything is as it was before, bit for bit.

use std::sync::{Mutex, PoisonError};

use super::Optimizer;
use super::lineup::Cohort;
use crate::backend::Reading;
use crate::mixed_precision::DynamicLossScaler;
use crate::rule::{Mode, Rule};
use crate::{Device, GpuOptimError};

/// What became of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StepOutcome {
    /// It was taken.
    Taken,
    /// A gradient was infinite or NaN, or, where gradients are clipped by it, a norm. Parameters, states and counters are
    /// as they were.
    Skipped,
}

/// What the guard found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub outcome: StepOutcome,
    /// The norm of all gradients, before they were clipped.
    pub norm: f32,
}

/// The latest guarded run, whose outcome the host has not taken in yet.
#[derive(Debug)]
pub(super) struct Pending {
    device: Device,
    reading: Reading,
    found: Mutex<Option<Found>>,
    pub before: Before,
}

/// What the host had before a run.
#[derive(Debug)]
pub(super) struct Before {
    /// What was counted of the tensors that took part, by the place of the cohort.
    pub cohorts: Vec<(usize, Cohort)>,
    pub all_touched: bool,
    pub run: u64,
    pub mode: Mode,
    /// Whether it is an update, which the loss scale follows.
    pub is_update: bool,
}

/// Words of the scalars' header: found_inf, clip coefficient, norm.
pub(super) const HEADER: u64 = 3;

impl Pending {
    pub(super) fn new(device: &Device, reading: Reading, before: Before) -> Pending {
        Pending { device: device.clone(), reading, found: Mutex::default(), before }
    }

    /// What the guard found; waits for it.
    fn found(&self) -> Result<Found, GpuOptimError> {
        // Held while it is waited for: the words come once.
        let mut known = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = *known {
            return Ok(found);
        }
        let header = self.device.raw().receive(&self.reading)?;
        let &[found_inf, _, norm] = header.as_slice() else {
            return Err(GpuOptimError::Device(format!("the guard's header has {} words", header.len())));
        };
        let outcome = if found_inf == 0 { StepOutcome::Taken } else { StepOutcome::Skipped };
        Ok(*known.insert(Found { outcome, norm: f32::from_bits(norm) }))
    }

    /// Lets a loss scaler follow the run; waits for it.
    #[cfg(feature = "checkpoint")]
    pub(super) fn tell(&self, scaler: &mut DynamicLossScaler) -> Result<(), GpuOptimError> {
        self.before.tell(self.found()?, scaler);
        Ok(())
    }

    /// What the host had before, if the run was skipped.
    fn undone(&self) -> Result<Option<&Before>, GpuOptimError> {
        Ok((self.found()?.outcome == StepOutcome::Skipped).then_some(&self.before))
    }
}

impl Before {
    /// Lets a loss scaler follow an update. Entries are not what the scale is measured by.
    fn tell(&self, found: Found, scaler: &mut DynamicLossScaler) {
        if self.is_update {
            scaler.update(found.outcome == StepOutcome::Skipped);
        }
    }

    /// What was counted of a cohort, if it took part.
    fn cohort(&self, place: usize) -> Option<&Cohort> {
        self.cohorts.iter().find(|(cohort, _)| *cohort == place).map(|(_, before)| before)
    }
}

impl<R: Rule> Optimizer<R> {
    /// What became of the latest step or entry that a guard ran before; waits for it. Without clipping by a norm and
    /// without loss scaling no guard runs, and every step is taken.
    ///
    /// # Errors
    /// What waiting for the device says.
    pub fn last_step(&mut self) -> Result<StepOutcome, GpuOptimError> {
        self.conclude()?;
        Ok(self.found.map_or(StepOutcome::Taken, |found| found.outcome))
    }

    /// The 2-norm of all gradients of the latest guarded step, over all tensors that took part and all groups: after the
    /// loss scale and the sign, before clipping. Waits for the step. To measure without clipping, set
    /// [`Clipping::GlobalNorm`](super::Clipping::GlobalNorm) of `f32::MAX`.
    ///
    /// # Errors
    /// [`GpuOptimError::InvalidState`] where no guard has run yet; what waiting for the device says.
    pub fn grad_norm(&mut self) -> Result<f32, GpuOptimError> {
        self.conclude()?;
        self.found.map(|found| found.norm).ok_or_else(|| {
            GpuOptimError::InvalidState(
                "no step has measured its gradients: call `set_clipping(Clipping::GlobalNorm(f32::MAX))` before one, \
                 or clip by a norm, or scale the loss"
                    .to_owned(),
            )
        })
    }

    /// Takes in what became of the latest guarded run: the loss scale follows it, and what was skipped is taken back.
    pub(super) fn conclude(&mut self) -> Result<(), GpuOptimError> {
        let Some(pending) = &self.pending else { return Ok(()) };
        let found = pending.found()?;
        let Some(Pending { before, .. }) = self.pending.take() else { return Ok(()) };
        self.found = Some(found);
        if let Some(scaler) = &mut self.scaler {
            before.tell(found, scaler);
        }
        if found.outcome == StepOutcome::Skipped {
            self.run = before.run;
            self.all_touched = before.all_touched;
            self.mode = before.mode;
            before.cohorts.into_iter().for_each(|(place, cohort)| self.cohorts[place] = cohort);
        }
        Ok(())
    }

    /// Whether a tensor's states exist, the updates it has taken, and its host states: without the latest run, if the device
    /// has skipped that; waits for it. Of a tensor that the optimizer has not seen, nothing.
    pub(super) fn counted(&self, slot: usize) -> Result<(bool, u64, &[f64]), GpuOptimError> {
        let Some(tensor) = self.tensors.get(slot) else { return Ok((false, 0, &[])) };
        let before = self.undone()?.and_then(|before| before.cohort(tensor.cohort));
        let Cohort { touched, steps, host } = before.unwrap_or_else(|| self.cohort(tensor));
        Ok((*touched, *steps, host))
    }

    /// What the host had before the latest run, if the device has skipped that; waits for it.
    pub(super) fn undone(&self) -> Result<Option<&Before>, GpuOptimError> {
        self.pending.as_ref().map_or(Ok(None), Pending::undone)
    }
}
