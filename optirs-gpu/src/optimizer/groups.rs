//! Parameter groups: which tensors have hyper-parameters of their own.
//!
//! Options are fixed when the optimizer is built, so all groups agree on them; `shared` hyper-parameters must be equal
//! whenever a step is taken.

use std::sync::atomic::{AtomicU64, Ordering};

use super::schedules::Edit;
use super::tracked::allow_shape;
use super::{Optimizer, chosen_variant};
use crate::rule::Rule;
use crate::{GpuOptimError, ParamSet};

/// Hyper-parameters, and which tensors they are for.
pub(super) struct Group<P> {
    id: GroupId,
    /// As they were set.
    pub set: P,
    /// In force: what the last update used, where there is a schedule.
    pub params: P,
    pub schedule: Option<Edit<P>>,
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

/// A parameter group of one optimizer; [`GroupId::DEFAULT`] is the one that every optimizer is built with. Others are
/// told apart throughout the process, so that no optimizer takes the group of another for its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupId(u64);

impl GroupId {
    /// The group of every tensor that no other group claims.
    pub const DEFAULT: GroupId = GroupId(0);

    fn next() -> GroupId {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        GroupId(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

impl<P: Copy> Group<P> {
    pub(super) fn new(params: P) -> Group<P> {
        Group {
            id: GroupId::DEFAULT,
            set: params,
            params,
            schedule: None,
            maximize: false,
            grad_scale: 1.0,
            claim: Claim::All,
        }
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
    /// Gives these tensors of a set hyper-parameters of their own; sign and scale of gradients start as the default
    /// group's.
    ///
    /// # Errors
    /// As [`Optimizer::on`]; [`GpuOptimError::UnknownTensor`] for a name that the set does not have;
    /// [`GpuOptimError::DuplicateTensor`] for one that is named twice; [`GpuOptimError::TensorInGroup`] for one that another
    /// group was given by name; [`GpuOptimError::InvalidState`] where an option or a `shared` hyper-parameter differs from
    /// the other groups', or the optimizer steps another set; [`GpuOptimError::Requirement`] for a tensor of a shape that
    /// the rule refuses. No group is added then.
    pub fn add_group<N: Into<String>>(
        &mut self,
        set: &ParamSet,
        params: impl Into<R::Params>,
        names: impl IntoIterator<Item = N>,
    ) -> Result<GroupId, GpuOptimError> {
        self.check_set(set)?;
        let params = params.into();
        let mut claimed: Vec<String> = Vec::new();
        for name in names {
            let name = name.into();
            if claimed.contains(&name) {
                return Err(GpuOptimError::DuplicateTensor(name));
            }
            if let Some(group) = self.groups.iter().find(|group| group.names().contains(&name)) {
                return Err(GpuOptimError::TensorInGroup { tensor: name, group: group.id });
            }
            allow_shape::<R>(&params, &name, set.shape(&name)?)?;
            claimed.push(name);
        }
        self.insert_group(params, Claim::Names(claimed))
    }

    /// Gives every tensor whose name the predicate accepts hyper-parameters of its own. Of several groups that claim a
    /// tensor, the one that was added last has it.
    ///
    /// # Errors
    /// As [`Optimizer::add_group`], but for what is said of names and sets.
    pub fn add_group_where(
        &mut self,
        params: impl Into<R::Params>,
        predicate: impl Fn(&str) -> bool + Send + Sync + 'static,
    ) -> Result<GroupId, GpuOptimError> {
        self.insert_group(params.into(), Claim::Predicate(Box::new(predicate)))
    }

    /// Takes a group away. Its tensors go to the groups that claim them otherwise, the default group at last; states and
    /// counters stay.
    ///
    /// # Errors
    /// [`GpuOptimError::InvalidState`] for a group that the optimizer does not have, and for the default group, which
    /// stays; [`GpuOptimError::Requirement`] for a tensor of a shape that its next group's hyper-parameters do not allow.
    pub fn remove_group(&mut self, group: GroupId) -> Result<(), GpuOptimError> {
        let place = self.place_of(group)?;
        if group == GroupId::DEFAULT {
            return Err(GpuOptimError::InvalidState(
                "the default group cannot be removed: it has every tensor that no other group claims".to_owned(),
            ));
        }
        let removed = self.groups.remove(place);
        let moving = self.tensors.iter().filter(|tensor| tensor.group == place);
        let allowed: Result<Vec<()>, _> = moving
            .map(|tensor| self.check_shape_of(tensor, &self.groups[self.group_of(&tensor.name)].params))
            .collect();
        if let Err(refused) = allowed {
            self.groups.insert(place, removed);
            return Err(refused);
        }
        self.regroup();
        Ok(())
    }

    fn insert_group(&mut self, params: R::Params, claim: Claim) -> Result<GroupId, GpuOptimError> {
        self.check_options(&params)?;
        self.check_shared(&params)?;
        let first = &self.groups[0];
        let id = GroupId::next();
        let (maximize, grad_scale) = (first.maximize, first.grad_scale);
        let group = Group { id, set: params, params, schedule: None, maximize, grad_scale, claim };
        for tensor in self.tensors.iter().filter(|tensor| group.claims(&tensor.name)) {
            self.check_shape_of(tensor, &group.params)?;
        }
        self.groups.push(group);
        self.regroup();
        Ok(id)
    }

    /// Gives every tensor to its group anew, after groups have changed.
    fn regroup(&mut self) {
        for place in 0..self.tensors.len() {
            self.tensors[place].group = self.group_of(&self.tensors[place].name);
        }
        self.forget_lineups();
    }

    /// The place of a group of this optimizer.
    pub(super) fn place_of(&self, id: GroupId) -> Result<usize, GpuOptimError> {
        let unknown = || {
            GpuOptimError::InvalidState(
                "the optimizer has no such parameter group: use what its own `add_group` returned".to_owned(),
            )
        };
        self.groups.iter().position(|group| group.id == id).ok_or_else(unknown)
    }

    /// The place of the group that has a tensor of this name.
    pub(super) fn group_of(&self, name: &str) -> usize {
        self.groups.iter().rposition(|group| group.claims(name)).unwrap_or(0)
    }

    /// Refuses a set that never had a tensor that a group was given by name. Adding a group asks for it, but after a reset
    /// there may be another set.
    pub(super) fn check_claims(&self, set: &ParamSet) -> Result<(), GpuOptimError> {
        match self.groups.iter().flat_map(Group::names).find(|name| !set.has_had(name)) {
            None => Ok(()),
            Some(name) => Err(GpuOptimError::InvalidState(format!(
                "a parameter group claims tensor `{name}`, which the set does not have: call `remove_group`, or add the \
                 tensor to the set"
            ))),
        }
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

    /// Refuses hyper-parameters that choose other options than those that the optimizer was built with.
    pub(super) fn check_options(&self, params: &R::Params) -> Result<(), GpuOptimError> {
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
