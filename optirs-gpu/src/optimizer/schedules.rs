//! Hyper-parameters that change over training: a function edits a group's before each update.
//!
//! What an update uses depends on the hyper-parameters that were set and on the optimizer's count of updates, and on
//! nothing else: edits do not pile up, and a counter that is back brings back the values. Options cannot change, so that
//! no kernel is compiled anew.

use super::{GroupId, Optimizer};
use crate::GpuOptimError;
use crate::rule::Rule;

/// Edits hyper-parameters for the update that comes after that many others.
pub(super) type Edit<P> = Box<dyn Fn(&mut P, u64) + Send + Sync>;

impl<R: Rule> Optimizer<R> {
    /// Lets a function edit a group's hyper-parameters before each update.
    ///
    /// It gets a copy of those that were set (by [`Optimizer::on`], [`Optimizer::add_group`] or
    /// [`Optimizer::set_group_params`]) and the updates that the optimizer has taken before this one
    /// ([`Optimizer::step_count`], so 0 at the first), whether or not each tensor took part in them. So
    /// `params.learning_rate *= factor.at(step)` scales the rate that was set, at every step anew. Entries use what the
    /// last update used. A `shared` hyper-parameter has to be scheduled alike in every group.
    ///
    /// The function is not part of a checkpoint; the counter is. It is called by [`Optimizer::step`], on the same thread,
    /// once a step, and by [`Optimizer::next_params`].
    ///
    /// What it makes is checked as [`Optimizer::set_group_params`] does, at each step: [`GpuOptimError::OutOfRange`] or
    /// [`GpuOptimError::Requirement`] for what the rule refuses, [`GpuOptimError::InvalidState`] where an option would
    /// change. That step has changed nothing then.
    ///
    /// ```
    /// use optirs_gpu::ndarray::arr1;
    /// use optirs_gpu::{AdamWParams, Device, GpuAdamW, GroupId, ParamSet, Schedule};
    ///
    /// let device = Device::cpu();
    /// let mut params = ParamSet::new(&device, [("w", arr1(&[1.0f32]))])?;
    /// let mut optimizer = GpuAdamW::on(&device, AdamWParams { weight_decay: 0.0, ..AdamWParams::default() })?;
    /// let rate = Schedule::linear(0.0, 0.5, 2)?;
    /// optimizer.set_schedule(GroupId::DEFAULT, move |params, step| params.learning_rate = rate.at(step))?;
    ///
    /// params.write_grad("w", &arr1(&[1.0f32]))?;
    /// for expected in [1.0, 0.75, 0.25] {
    ///     optimizer.step(&mut params)?;
    ///     assert!((params.read("w")?[[0]] - expected).abs() < 1e-6);
    /// }
    /// # Ok::<(), optirs_gpu::GpuOptimError>(())
    /// ```
    ///
    /// # Errors
    /// [`GpuOptimError::InvalidState`] for a group that the optimizer does not have.
    pub fn set_schedule(
        &mut self,
        group: GroupId,
        schedule: impl Fn(&mut R::Params, u64) + Send + Sync + 'static,
    ) -> Result<(), GpuOptimError> {
        let place = self.place_of(group)?;
        self.groups[place].schedule = Some(Box::new(schedule));
        Ok(())
    }

    /// Takes a group's schedule away: the hyper-parameters that were set hold again.
    ///
    /// # Errors
    /// As [`Optimizer::set_schedule`].
    pub fn clear_schedule(&mut self, group: GroupId) -> Result<(), GpuOptimError> {
        let place = self.place_of(group)?;
        let group = &mut self.groups[place];
        group.schedule = None;
        group.params = group.set;
        Ok(())
    }

    /// The hyper-parameters that the next update uses in a group. They are not checked yet.
    ///
    /// # Errors
    /// As [`Optimizer::set_schedule`].
    pub fn next_params(&self, group: GroupId) -> Result<R::Params, GpuOptimError> {
        Ok(self.scheduled(self.place_of(group)?))
    }

    pub(crate) fn scheduled(&self, place: usize) -> R::Params {
        let group = &self.groups[place];
        let mut params = group.set;
        if let Some(schedule) = &group.schedule {
            schedule(&mut params, self.step_count());
        }
        params
    }

    /// Puts the next update's hyper-parameters into force; returns those before it, by group.
    pub(super) fn follow_schedules(&mut self) -> Result<Vec<R::Params>, GpuOptimError> {
        let next: Vec<R::Params> = (0..self.groups.len()).map(|place| self.scheduled(place)).collect();
        for (place, params) in next.iter().enumerate().filter(|(place, _)| self.groups[*place].schedule.is_some()) {
            self.check_group(place, params)?;
        }
        Ok(self.put_in_force(next))
    }

    /// Replaces what is in force, by group; returns what was.
    pub(super) fn put_in_force(&mut self, params: Vec<R::Params>) -> Vec<R::Params> {
        let pairs = self.groups.iter_mut().zip(params);
        pairs.map(|(group, params)| core::mem::replace(&mut group.params, params)).collect()
    }
}
