//! An optimizer: a rule, its parameter groups, its states and its counters.
//!
//! A call that returns an error has changed nothing: rows and host states are made on copies, what was allocated for it
//! is given back, and counters move when the back end has taken the work.

#[cfg(feature = "checkpoint")]
mod checkpoint;
mod clipping;
mod entries;
mod groups;
mod guard;
mod hyper;
mod inputs;
mod lineup;
mod moves;
mod pending;
mod recent;
#[cfg(feature = "wgpu")]
mod record;
mod rows;
mod run;
mod scaling;
mod schedules;
mod states;
mod storage;
#[cfg(test)]
mod tests;
mod tracked;
mod writes;

pub use clipping::Clipping;
use groups::Group;
pub use groups::GroupId;
use lineup::{Cohort, Lineup};
use moves::Parked;
pub use pending::StepOutcome;
use pending::{Found, Pending};
use storage::Storage;
use tracked::Tracked;

use crate::mixed_precision::DynamicLossScaler;
use crate::rule::{Mode, Rule, RuleParams, Variant};
use crate::{Device, GpuOptimError, ParamSet};

/// An optimizer of the rule `R` (`GpuAdam` is `Optimizer<Adam>`), for one [`ParamSet`].
///
/// States exist from the first step that touches a tensor. A step is one submission to the device and does not wait
/// for it.
///
/// ```
/// use optirs_gpu::{AdamWParams, Device, GpuAdamW, ParamSet};
/// use scirs2_core::ndarray::{Array1, Array2};
///
/// let device = Device::cpu(); // or Device::new()? for a GPU
/// let mut params = ParamSet::new(&device, [("w", Array2::<f32>::ones((64, 10)))])?;
/// params.add("b", &Array1::<f32>::zeros(10))?;
///
/// let mut optimizer = GpuAdamW::on(&device, AdamWParams::default())?;
/// optimizer.add_group(&params, AdamWParams { weight_decay: 0.0, ..AdamWParams::default() }, ["b"])?;
///
/// for _ in 0..3 {
///     params.write_grad("w", &Array2::ones((64, 10)))?;
///     params.write_grad("b", &Array1::ones(10))?;
///     optimizer.step(&mut params)?;
/// }
/// assert_eq!(optimizer.step_count(), 3);
/// assert!((params.read("b")?[[0]] + 3e-3).abs() < 1e-6);
/// # Ok::<(), optirs_gpu::GpuOptimError>(())
/// ```
pub struct Optimizer<R: Rule> {
    /// Index in `R::VARIANTS`: which options the optimizer was built with.
    variant: usize,
    /// The first one holds every tensor that no other claims.
    groups: Vec<Group<R::Params>>,
    /// By slot.
    tensors: Vec<Tracked>,
    /// What the host counts of them.
    cohorts: Vec<Cohort>,
    /// Who took part in the latest run of each program of the variant, until that may have changed.
    lineups: Vec<Option<Lineup>>,
    /// Updates taken.
    run: u64,
    /// Whether `#[all]` states have their first value.
    all_touched: bool,
    mode: Mode,
    clipping: Clipping,
    /// Scales the loss, hence the gradients, and follows what the guard finds.
    scaler: Option<DynamicLossScaler>,
    /// The latest guarded run, until its outcome is taken in.
    pending: Option<Pending>,
    /// What the guard found in the latest run whose outcome has been taken in.
    found: Option<Found>,
    /// Values of the `#[scalar]` arguments.
    scalars: Vec<Option<f32>>,
    /// Where it steps; none for one that has not been moved to a device yet.
    device: Option<Device>,
    /// Whether it is on its device.
    resident: bool,
    /// What lies on the device, from the first step on.
    storage: Option<Storage>,
    /// States that were taken off the device and go back at the next step: while they are here, they are the states.
    parked: Option<Parked>,
    pub(crate) classic: crate::optimizers::Classic,
}

impl<R: Rule> core::fmt::Debug for Optimizer<R> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Optimizer")
            .field("rule", &R::NAME)
            .field("params", self.params())
            .field("groups", &self.groups.len())
            .field("tensors", &self.tensors.len())
            .field("steps", &self.run)
            .field("device", &self.device)
            .finish_non_exhaustive()
    }
}

impl<R: Rule> Optimizer<R> {
    /// The rule's name.
    pub const NAME: &'static str = R::NAME;
    /// WGSL of the update with the default hyper-parameters.
    pub const WGSL: &'static str = R::WGSL;
    /// Metal Shading Language of the update with the default hyper-parameters.
    pub const MSL: &'static str = R::MSL;

    /// An optimizer on a device.
    ///
    /// # Errors
    /// [`GpuOptimError::OutOfRange`] or [`GpuOptimError::Requirement`] for hyper-parameters that the rule refuses.
    pub fn on(device: &Device, params: impl Into<R::Params>) -> Result<Self, GpuOptimError> {
        let mut optimizer = Self::unplaced(params.into())?;
        optimizer.device = Some(device.clone());
        optimizer.resident = true;
        Ok(optimizer)
    }

    /// An optimizer that is not on a device yet.
    pub(crate) fn unplaced(params: R::Params) -> Result<Self, GpuOptimError> {
        Ok(Optimizer {
            variant: chosen_variant::<R>(&params)?,
            groups: vec![Group::new(params)],
            tensors: Vec::new(),
            cohorts: Vec::new(),
            lineups: Vec::new(),
            run: 0,
            all_touched: false,
            mode: Mode::Train,
            clipping: Clipping::Off,
            scaler: None,
            pending: None,
            found: None,
            scalars: vec![None; R::SCALARS.len()],
            device: None,
            resident: false,
            storage: None,
            parked: None,
            classic: Default::default(),
        })
    }

    /// Updates every tensor that has a gradient. With none, nothing happens and nothing is counted.
    ///
    /// # Errors
    /// [`GpuOptimError::InvalidState`] where the set lies on another device, belongs to another optimizer's states, or
    /// a group, input or scalar is missing; [`GpuOptimError::NotFinite`] for a hyper-parameter schedule that diverged;
    /// what [`Optimizer::set_schedule`] says of what a schedule makes; and what the device says. Nothing has been stepped then.
    pub fn step(&mut self, params: &mut ParamSet) -> Result<(), GpuOptimError> {
        self.step_on(None, params)
    }

    /// As [`Optimizer::step`], on its device or on one that records.
    fn step_on(&mut self, recording: Option<&Device>, params: &ParamSet) -> Result<(), GpuOptimError> {
        self.conclude()?;
        if self.mode == Mode::Eval {
            return Err(self.in_eval_mode());
        }
        let before = self.follow_schedules()?;
        let stepped = self.run_program(recording, 0, params);
        if stepped.is_err() {
            self.put_in_force(before);
        }
        stepped
    }

    /// The device that it steps on.
    pub fn device(&self) -> Option<&Device> {
        self.device.as_ref()
    }

    /// Updates that the optimizer has taken. Where a step may be skipped it waits for the latest one; on a device that is
    /// lost that one counts as taken.
    pub fn step_count(&self) -> u64 {
        self.undone().ok().flatten().map_or(self.run, |before| before.run)
    }

    /// Updates that a tensor has taken: a tensor without a gradient does not take part in a step.
    ///
    /// # Errors
    /// [`GpuOptimError::UnknownTensor`] for a tensor that no step has seen; where a step may be skipped, what waiting for
    /// the latest one says.
    pub fn tensor_step_count(&self, tensor: &str) -> Result<u64, GpuOptimError> {
        let (_, steps, _) = self.counted(self.slot_of(tensor)?)?;
        Ok(steps)
    }

    /// Forgets all states, inputs and counters, so that the next step is the first; hyper-parameters, groups, clipping, the loss
    /// scale and the values of scalars stay. It needs no device: what was on one that is lost is given up.
    pub fn reset(&mut self) {
        self.forget_tensors();
        self.run = 0;
        self.all_touched = false;
        self.mode = Mode::Train;
        self.storage = None;
        self.parked = None;
        self.pending = None;
        self.found = None;
        self.classic.forget();
    }

    fn variant(&self) -> &'static Variant {
        &R::VARIANTS[self.variant]
    }
}

/// Checks hyper-parameters and finds the options that they choose.
fn chosen_variant<R: Rule>(params: &R::Params) -> Result<usize, GpuOptimError> {
    params.validate()?;
    let unmet = || GpuOptimError::Requirement(format!("`{}` does not have this combination of options", R::NAME));
    R::variant(params).filter(|variant| *variant < R::VARIANTS.len()).ok_or_else(unmet)
}
