//! Tables of recent steps. A step over the same tensors as one before plans and uploads nothing.

use std::sync::Arc;

use super::storage::Storage;
use crate::backend::{Range, Slice};
use crate::rule::Role;
use crate::rule::records::{ELEMENT_CHUNK, REDUCTION_CHUNK};
use crate::tables::ranges::{Participant, Table, plan};
use crate::tables::states::Stretch;
use crate::{GpuOptimError, ParamSet};

/// How many are kept: enough for a few sets of tensors that take turns.
const KEPT: usize = 8;
/// Above this many elements, chunks are long everywhere, so that tables stay small.
const LARGE: u64 = 1 << 31;
/// Word of the scalars that holds the clip coefficient of tensors without one of their own.
const COMMON_CLIP: u32 = 1;

/// Which tables are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// Those of a program of the rule.
    Program {
        /// Its place in the variant.
        index: usize,
        /// Whether it reduces.
        reduces: bool,
        /// Whether the guard gives each tensor a clip coefficient of its own.
        clips_tensors: bool,
    },
    /// Those of the guard.
    Guard,
}

/// The tables of a step.
#[derive(Clone, Debug)]
pub(super) struct Planned {
    asked: Asked,
    slots: Arc<[usize]>,
    /// The row of each slot.
    pub classes: Arc<[u32]>,
    /// The first slot of each row.
    pub firsts: Vec<usize>,
    /// Of all its tensors.
    pub elements: u64,
    /// Of the set's and of the optimizer's buffers.
    versions: (u64, u64),
    pub ranges: Vec<Range>,
    pub tensors: Slice,
    pub tensor_count: u32,
    pub partials: u64,
}

impl Planned {
    fn fits(&self, asked: Asked, slots: &Arc<[usize]>) -> bool {
        self.asked == asked && (Arc::ptr_eq(&self.slots, slots) || self.slots == *slots)
    }
}

/// The tables of recent steps, the latest last.
#[derive(Clone, Debug, Default)]
pub(super) struct Recent {
    planned: Vec<Planned>,
}

impl Recent {
    /// Tensors have changed their groups.
    pub(super) fn forget(&mut self) {
        self.planned.clear();
    }

    /// Whether the latest tables are those for this step.
    pub(super) fn knows(&self, asked: Asked, slots: &Arc<[usize]>, versions: (u64, u64)) -> bool {
        let latest = self.planned.last();
        latest.is_some_and(|latest| latest.fits(asked, slots) && latest.versions == versions)
    }

    /// Makes the tables for this step the latest, or returns the classes to plan it with.
    fn reuse(
        &mut self,
        asked: Asked,
        slots: &Arc<[usize]>,
        versions: (u64, u64),
        classes: impl FnOnce() -> Vec<u32>,
    ) -> Result<(), Vec<u32>> {
        self.planned.retain(|planned| planned.versions == versions);
        let known = self.planned.iter().rposition(|planned| planned.fits(asked, slots));
        let Some(place) = known else { return Err(classes()) };
        if place + 1 == self.planned.len() {
            // All its tensors have taken the same steps since: who shared a row still does.
            return Ok(());
        }
        let planned = self.planned.remove(place);
        let classes = classes();
        if *planned.classes != *classes {
            return Err(classes);
        }
        self.planned.push(planned);
        Ok(())
    }
}

impl Storage {
    /// The tables over these tensors. Those of the guard are kept apart: the latest of either kind is what the next step
    /// asks for.
    pub(super) fn planned(
        &mut self,
        asked: Asked,
        slots: &Arc<[usize]>,
        params: &ParamSet,
        classes: impl FnOnce() -> Vec<u32>,
    ) -> Result<&Planned, GpuOptimError> {
        let versions = (params.version(), self.version);
        let reused = self.recent(asked).reuse(asked, slots, versions, classes);
        let planned = match reused {
            Ok(()) => None,
            Err(classes) => Some(self.plan(asked, slots, classes, params)?),
        };
        let recent = self.recent(asked);
        if let Some(planned) = planned {
            if recent.planned.len() == KEPT {
                recent.planned.remove(0);
            }
            recent.planned.push(planned);
        }
        recent.planned.last().ok_or_else(|| GpuOptimError::Device("no step has been planned".to_owned()))
    }

    fn recent(&mut self, asked: Asked) -> &mut Recent {
        match asked {
            Asked::Program { .. } => &mut self.recent,
            Asked::Guard => &mut self.guarded,
        }
    }

    fn plan(
        &self,
        asked: Asked,
        slots: &Arc<[usize]>,
        classes: Vec<u32>,
        params: &ParamSet,
    ) -> Result<Planned, GpuOptimError> {
        let backend = self.device.raw();
        let tensors = params.tensors();
        let stretches: Vec<Vec<Stretch>> = slots.iter().map(|slot| self.stretches_of(asked, *slot)).collect();
        let mut participants = Vec::with_capacity(slots.len());
        for ((&slot, &row), stretches) in slots.iter().zip(&classes).zip(&stretches) {
            let (slot_of, clip) = match asked {
                Asked::Program { clips_tensors: true, .. } => (slot, self.clip_word(slot)?),
                Asked::Program { .. } => (slot, COMMON_CLIP),
                Asked::Guard => (self.guard_slot(slot), COMMON_CLIP),
            };
            participants.push(Participant { slot: slot_of, row, clip, len: tensors[slot].len, stretches });
        }
        let mut firsts = Vec::new();
        for (slot, class) in slots.iter().zip(&classes) {
            if *class as usize == firsts.len() {
                firsts.push(*slot);
            }
        }
        let elements: u64 = participants.iter().map(|participant| participant.len).sum();
        let reduces = matches!(asked, Asked::Guard | Asked::Program { reduces: true, .. });
        let chunk = if reduces || elements > LARGE { REDUCTION_CHUNK } else { ELEMENT_CHUNK };
        let tables = plan(&participants, chunk as u64, &backend.limits())?;
        let buffer = backend.allocate("tables", tables.words.len() as u64)?;
        backend.write(&buffer, 0, &tables.words)?;
        let slice = |table: &Table| Slice { buffer: buffer.clone(), start: table.start, words: table.words };
        let ranges = tables.ranges.iter().map(|range| Range {
            table: slice(&range.table),
            chunks: range.table.chunks,
            arenas: self.bound(asked, range.segment, params),
        });
        Ok(Planned {
            asked,
            slots: slots.clone(),
            classes: classes.into(),
            firsts,
            elements,
            versions: (params.version(), self.version),
            ranges: ranges.collect(),
            tensors: slice(&tables.tensors),
            tensor_count: tables.tensors.tensors,
            partials: tables.partials,
        })
    }

    /// Where a tensor lies. The parameters of the guard are the gradients.
    fn stretches_of(&self, asked: Asked, slot: usize) -> Vec<Stretch> {
        let mut stretches = self.stretches[slot].clone();
        if asked == Asked::Guard {
            stretches.iter_mut().for_each(|stretch| stretch.param_start = stretch.grad_start);
        }
        stretches
    }

    /// What a range over this segment binds.
    fn bound(&self, asked: Asked, segment: usize, params: &ParamSet) -> Vec<(Role, Slice)> {
        let place = self.arena(segment);
        let arena = &params.arenas()[place];
        if asked == Asked::Guard {
            return vec![(Role::Param, arena.grad.clone())];
        }
        let mut bound = vec![(Role::Param, arena.param.clone()), (Role::Gradient, arena.grad.clone())];
        bound.extend(self.segment(segment).map(|buffer| (Role::State, buffer.whole())));
        let inputs =
            (0..).zip(&self.inputs).filter_map(|(n, arenas)| Some((Role::Input(n), arenas.get(place)?.whole())));
        bound.extend(inputs);
        bound
    }
}
