//! Parameter groups: tensors with hyper-parameters of their own.
//!
//! Options are fixed when the optimizer is built, so all groups agree on them; `shared` hyper-parameters must be equal
//! whenever a step is taken.

use super::{Optimizer, chosen_variant};
use crate::GpuOptimError;
use crate::rule::Rule;

/// Hyper-parameters, and which tensors they are for.
pub(super) struct Group<P> {
    pub params: P,
    /// Whether the group ascends.
    pub maximize: bool,
    /// The factor of its gradients, beside the sign.
    pub grad_scale: f64,
    claim: Claim,
}

/// Which tensors a group claims.
enum Claim {
    All,
    Names(Vec<String>),
    Predicate(Box<dyn Fn(&str) -> bool + Send + Sync>),
}

/// A parameter group of an optimizer; [`GroupId::DEFAULT`] is the one that it was built with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupId(usize);

impl GroupId {
    /// The group of every tensor that no other group claims.
    pub const DEFAULT: GroupId = GroupId(0);
}

impl<P> Group<P> {
    pub(super) fn new(params: P) -> Group<P> {
        Group { params, maximize: false, grad_scale: 1.0, claim: Claim::All }
    }

    fn claims(&self, name: &str) -> bool {
        match &self.claim {
            Claim::All => true,
            Claim::Names(names) => names.iter().any(|other| other == name),
            Claim::Predicate(predicate) => predicate(name),
        }
    }

    fn names(&self) -> &[String] {
        match &self.claim {
            Claim::Names(names) => names,
            Claim::All | Claim::Predicate(_) => &[],
        }
    }

    /// The factor of every gradient: scale and sign.
    pub(super) fn factor(&self) -> f64 {
        if self.maximize { -self.grad_scale } else { self.grad_scale }
    }
}

impl<R: Rule> Optimizer<R> {
    /// Gives these tensors hyper-parameters of their own; sign and scale of gradients start as the default group's.
    ///
    /// # Errors
    /// As [`Optimizer::on`]; [`GpuOptimError::InvalidState`] where an option or a `shared` hyper-parameter differs from
    /// the other groups'; [`GpuOptimError::DuplicateTensor`] for a name that a group has already. A name that the
    /// [`ParamSet`](crate::ParamSet) does not have is an error of the next step.
    pub fn add_group<N: Into<String>>(
        &mut self,
        params: impl Into<R::Params>,
        names: impl IntoIterator<Item = N>,
    ) -> Result<GroupId, GpuOptimError> {
        let mut claimed: Vec<String> = Vec::new();
        for name in names {
            let name = name.into();
            let taken = self.groups.iter().any(|group| group.names().contains(&name)) || claimed.contains(&name);
            if taken {
                return Err(GpuOptimError::DuplicateTensor(name));
            }
            claimed.push(name);
        }
        self.insert_group(params.into(), Claim::Names(claimed))
    }

    /// Gives every tensor whose name the predicate accepts hyper-parameters of its own. Of several groups that claim a
    /// tensor, the one that was added last has it.
    ///
    /// # Errors
    /// As [`Optimizer::add_group`].
    pub fn add_group_where(
        &mut self,
        params: impl Into<R::Params>,
        predicate: impl Fn(&str) -> bool + Send + Sync + 'static,
    ) -> Result<GroupId, GpuOptimError> {
        self.insert_group(params.into(), Claim::Predicate(Box::new(predicate)))
    }

    /// The default group's hyper-parameters.
    pub fn params(&self) -> &R::Params {
        &self.groups[0].params
    }

    /// A group's hyper-parameters.
    ///
    /// # Errors
    /// [`GpuOptimError::InvalidState`] for a group that the optimizer does not have.
    pub fn group_params(&self, group: GroupId) -> Result<&R::Params, GpuOptimError> {
        Ok(&self.group(group)?.params)
    }

    /// Replaces the default group's hyper-parameters, from the next step on.
    ///
    /// # Errors
    /// As [`Optimizer::on`]; [`GpuOptimError::InvalidState`] where an option would change: it is fixed when the
    /// optimizer is built.
    pub fn set_params(&mut self, params: impl Into<R::Params>) -> Result<(), GpuOptimError> {
        self.set_group_params(GroupId::DEFAULT, params)
    }

    /// Replaces a group's hyper-parameters, from the next step on. A `shared` one has to be changed in every group
    /// before that step.
    ///
    /// # Errors
    /// As [`Optimizer::set_params`].
    pub fn set_group_params(&mut self, group: GroupId, params: impl Into<R::Params>) -> Result<(), GpuOptimError> {
        let params = params.into();
        self.group(group)?;
        self.check_options(&params)?;
        for tensor in self.tensors.iter().filter(|tensor| tensor.group == group.0) {
            R::check_shape(&params, &tensor.shape)?;
        }
        self.groups[group.0].params = params;
        Ok(())
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
        self.group(group)?;
        self.groups[group.0].maximize = maximize;
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
        self.group(group)?;
        self.groups[group.0].grad_scale = scale;
        Ok(())
    }

    fn insert_group(&mut self, params: R::Params, claim: Claim) -> Result<GroupId, GpuOptimError> {
        self.check_options(&params)?;
        self.check_shared(&params)?;
        let first = &self.groups[0];
        let group = Group { params, maximize: first.maximize, grad_scale: first.grad_scale, claim };
        for tensor in self.tensors.iter().filter(|tensor| group.claims(&tensor.name)) {
            R::check_shape(&group.params, &tensor.shape)?;
        }
        self.groups.push(group);
        for place in 0..self.tensors.len() {
            self.tensors[place].group = self.group_of(&self.tensors[place].name);
        }
        if let Some(storage) = &mut self.storage {
            storage.recent.forget();
        }
        Ok(GroupId(self.groups.len() - 1))
    }

    fn group(&self, group: GroupId) -> Result<&Group<R::Params>, GpuOptimError> {
        let unknown = || GpuOptimError::InvalidState(format!("the optimizer has no parameter group {}", group.0));
        self.groups.get(group.0).ok_or_else(unknown)
    }

    /// The place of the group that has a tensor of this name.
    pub(super) fn group_of(&self, name: &str) -> usize {
        self.groups.iter().rposition(|group| group.claims(name)).unwrap_or(0)
    }

    /// All names that groups were given.
    pub(super) fn claimed_names(&self) -> impl Iterator<Item = &String> {
        self.groups.iter().flat_map(Group::names)
    }

    /// Refuses groups that differ in a `shared` hyper-parameter.
    pub(super) fn check_groups(&self) -> Result<(), GpuOptimError> {
        self.groups[1..].iter().try_for_each(|group| self.check_shared(&group.params))
    }

    fn check_shared(&self, params: &R::Params) -> Result<(), GpuOptimError> {
        match R::shared_difference(self.params(), params) {
            None => Ok(()),
            Some(field) => Err(GpuOptimError::InvalidState(format!(
                "`{field}` is shared: it must be the same in every parameter group; set it in each of them before a step"
            ))),
        }
    }

    fn check_options(&self, params: &R::Params) -> Result<(), GpuOptimError> {
        let chosen = chosen_variant::<R>(params)?;
        if chosen == self.variant {
            return Ok(());
        }
        let (built, asked) = (self.variant().options, R::VARIANTS[chosen].options);
        let differing = built.iter().zip(asked).find(|(built, asked)| built != asked);
        let what = differing
            .map_or_else(String::new, |((field, built), (_, asked))| format!(": `{field}` is {built}, not {asked}"));
        Err(GpuOptimError::InvalidState(format!(
            "options are fixed when the optimizer is built, for all of its groups{what}; build another optimizer for other options"
        )))
    }
}

fn finite_scale(scale: f32) -> Result<f64, GpuOptimError> {
    if scale.is_finite() {
        return Ok(crate::rule::math::decimal(scale));
    }
    Err(GpuOptimError::OutOfRange { field: "grad_scale", value: f64::from(scale), range: ".." })
}
