//! Hyper-parameters, sign and scale of gradients: read and replaced, for all groups or for one.

use super::{GroupId, Optimizer};
use crate::GpuOptimError;
use crate::rule::Rule;

impl<R: Rule> Optimizer<R> {
    /// The default group's hyper-parameters; where it has a schedule, those of the last update.
    pub fn params(&self) -> &R::Params {
        &self.groups[0].params
    }

    /// A group's hyper-parameters; where it has a schedule, those of the last update.
    ///
    /// # Errors
    /// [`GpuOptimError::InvalidState`] for a group that the optimizer does not have.
    pub fn group_params(&self, group: GroupId) -> Result<&R::Params, GpuOptimError> {
        Ok(&self.groups[self.place_of(group)?].params)
    }

    /// Replaces the default group's hyper-parameters, from the next step on.
    ///
    /// # Errors
    /// As [`Optimizer::on`]; [`GpuOptimError::InvalidState`] where an option would change: it is fixed when the
    /// optimizer is built.
    pub fn set_params(&mut self, params: impl Into<R::Params>) -> Result<(), GpuOptimError> {
        self.set_group_params(GroupId::DEFAULT, params)
    }

    /// Replaces a group's hyper-parameters, from the next step on; a schedule of the group starts from them then. A
    /// `shared` one has to be changed in every group before that step.
    ///
    /// # Errors
    /// As [`Optimizer::set_params`].
    pub fn set_group_params(&mut self, group: GroupId, params: impl Into<R::Params>) -> Result<(), GpuOptimError> {
        let params = params.into();
        let place = self.place_of(group)?;
        self.check_group(place, &params)?;
        let group = &mut self.groups[place];
        (group.set, group.params) = (params, params);
        Ok(())
    }

    /// Refuses hyper-parameters that a group cannot have.
    pub(super) fn check_group(&self, place: usize, params: &R::Params) -> Result<(), GpuOptimError> {
        self.check_options(params)?;
        if !R::CHECKS_SHAPES {
            return Ok(());
        }
        let mut tensors = self.tensors.iter().filter(|tensor| tensor.group == place);
        tensors.try_for_each(|tensor| self.check_shape_of(tensor, params))
    }

    /// Whether all groups ascend instead of descend.
    pub fn set_maximize(&mut self, maximize: bool) {
        for group in &mut self.groups {
            group.maximize = maximize;
        }
    }

    /// Whether a group ascends instead of descends.
    ///
    /// # Errors
    /// As [`Optimizer::group_params`].
    pub fn set_group_maximize(&mut self, group: GroupId, maximize: bool) -> Result<(), GpuOptimError> {
        let place = self.place_of(group)?;
        self.groups[place].maximize = maximize;
        Ok(())
    }

    /// The factor of all gradients, applied before anything else: 1 / loss scale.
    ///
    /// # Errors
    /// [`GpuOptimError::OutOfRange`] unless it is finite.
    pub fn set_grad_scale(&mut self, scale: f32) -> Result<(), GpuOptimError> {
        let scale = finite_scale(scale)?;
        for group in &mut self.groups {
            group.grad_scale = scale;
        }
        Ok(())
    }

    /// The factor of a group's gradients.
    ///
    /// # Errors
    /// As [`Optimizer::set_grad_scale`] and [`Optimizer::group_params`].
    pub fn set_group_grad_scale(&mut self, group: GroupId, scale: f32) -> Result<(), GpuOptimError> {
        let scale = finite_scale(scale)?;
        let place = self.place_of(group)?;
        self.groups[place].grad_scale = scale;
        Ok(())
    }
}

fn finite_scale(scale: f32) -> Result<f64, GpuOptimError> {
    if scale.is_finite() {
        return Ok(crate::rule::math::decimal(scale));
    }
    Err(GpuOptimError::OutOfRange { field: "grad_scale", value: f64::from(scale), range: ".." })
}
