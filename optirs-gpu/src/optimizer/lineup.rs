//! Who takes part in a step, and what the host counts of them. A step whose tensors are those of the step before costs the
//! host the same for any number of them: tensors that have taken the same steps share one record, and who takes part is
//! looked up again only after the set or the groups have changed.

use std::collections::HashMap;
use std::sync::Arc;

use super::Optimizer;
use super::tracked::Tracked;
use crate::rule::{Program, Rule};
use crate::{GpuOptimError, ParamSet};

/// What the host counts of tensors that have taken the same steps.
#[derive(Clone, Debug, Default)]
pub(super) struct Cohort {
    /// Updates taken.
    pub steps: u64,
    /// Whether states have their first values.
    pub touched: bool,
    /// Host states, in the variant's order; empty before the first touch.
    pub host: Vec<f64>,
}

/// The tensors over which a program runs.
#[derive(Clone, Debug)]
pub(super) struct Lineup {
    /// The set, and its count of changes, for which it was last seen to hold.
    seen: (u64, u64),
    /// In ascending order.
    pub slots: Arc<[usize]>,
    /// Each of their cohorts, which have no other tensors, with the place of its first tensor among the slots.
    pub cohorts: Vec<(usize, usize)>,
}

/// What sets a cohort apart.
#[derive(PartialEq, Eq, Hash)]
struct Traits<'a> {
    takes_part: bool,
    steps: u64,
    touched: bool,
    host: Vec<u64>,
    /// Host states may become different ones in another group or shape.
    member: Option<(usize, &'a [usize])>,
}

impl<R: Rule> Optimizer<R> {
    /// The host's record of a tensor.
    pub(super) fn cohort(&self, tensor: &Tracked) -> &Cohort {
        &self.cohorts[tensor.cohort]
    }

    /// The record of a tensor alone, to be changed.
    pub(super) fn own_cohort(&mut self, slot: usize) -> &mut Cohort {
        self.forget_lineups();
        let tensor = &mut self.tensors[slot];
        let place = self.cohorts.len();
        self.cohorts.push(self.cohorts[tensor.cohort].clone());
        tensor.cohort = place;
        &mut self.cohorts[place]
    }

    /// Has who takes part looked up anew, and the tables of recent steps, which say which tensors share a row.
    pub(super) fn forget_lineups(&mut self) {
        self.lineups.clear();
        if let Some(storage) = &mut self.storage {
            storage.recent.forget();
        }
    }

    /// Who takes part in a run of a program; none if nobody does. Takes in tensors that the set has gained.
    pub(super) fn line_up(&mut self, index: usize, params: &ParamSet) -> Result<Option<Lineup>, GpuOptimError> {
        let program: &Program = &self.variant().programs[index];
        let seen = (params.id(), params.changes());
        let known = self.lineups.get(index).and_then(Option::as_ref);
        if let (Some(lineup), Some(_)) = (known.filter(|lineup| lineup.seen == seen), &self.storage) {
            return Ok(Some(lineup.clone()));
        }
        self.track(params)?;
        let tensors = params.tensors().iter().enumerate();
        let slots: Vec<usize> =
            tensors.filter(|(_, tensor)| tensor.takes_part(program.takes_grad)).map(|(slot, _)| slot).collect();
        if slots.is_empty() {
            return Ok(None);
        }
        let known = self.lineups.get_mut(index).and_then(Option::as_mut);
        if let Some(lineup) = known.filter(|lineup| *lineup.slots == *slots) {
            lineup.seen = seen;
            return Ok(Some(lineup.clone()));
        }
        self.part(&slots);
        let mut cohorts: Vec<(usize, usize)> = Vec::new();
        let mut met = vec![false; self.cohorts.len()];
        for (place, slot) in slots.iter().enumerate() {
            let cohort = self.tensors[*slot].cohort;
            if !core::mem::replace(&mut met[cohort], true) {
                cohorts.push((cohort, place));
            }
        }
        let lineup = Lineup { seen, slots: slots.into(), cohorts };
        self.lineups.resize(self.variant().programs.len(), None);
        self.lineups[index] = Some(lineup.clone());
        Ok(Some(lineup))
    }

    /// Puts tensors that a run will treat alike into one cohort, and others into others.
    fn part(&mut self, slots: &[usize]) {
        let has_host_states = !self.variant().host_states.is_empty();
        let mut takes_part = vec![false; self.tensors.len()];
        slots.iter().for_each(|slot| takes_part[*slot] = true);
        let (mut seen, mut cohorts) = (HashMap::new(), Vec::new());
        let mut places = Vec::with_capacity(self.tensors.len());
        for (tensor, takes_part) in self.tensors.iter().zip(takes_part) {
            let cohort = self.cohort(tensor);
            let traits = Traits {
                takes_part,
                steps: cohort.steps,
                touched: cohort.touched,
                host: cohort.host.iter().map(|value| value.to_bits()).collect(),
                member: has_host_states.then_some((tensor.group, &tensor.shape[..])),
            };
            places.push(*seen.entry(traits).or_insert_with(|| {
                cohorts.push(cohort.clone());
                cohorts.len() - 1
            }));
        }
        drop(seen);
        if self.tensors.iter().map(|tensor| tensor.cohort).eq(places.iter().copied()) {
            return;
        }
        // The tables stay: they are asked for with the classes that come of this.
        self.lineups.clear();
        self.tensors.iter_mut().zip(places).for_each(|(tensor, place)| tensor.cohort = place);
        self.cohorts = cohorts;
    }

    /// Whether a tensor takes part whose states have no first values yet.
    pub(super) fn has_new(&self, lineup: &Lineup) -> bool {
        lineup.cohorts.iter().any(|(cohort, _)| !self.cohorts[*cohort].touched)
    }

    /// Counts a run, after which the cohorts have these host states.
    pub(super) fn advance(&mut self, lineup: &Lineup, is_update: bool, host: Vec<Vec<f64>>) {
        for ((cohort, _), host) in lineup.cohorts.iter().zip(host) {
            let cohort = &mut self.cohorts[*cohort];
            *cohort = Cohort { steps: cohort.steps + u64::from(is_update), touched: true, host };
        }
    }
}
