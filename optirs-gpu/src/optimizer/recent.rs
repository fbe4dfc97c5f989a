//! Tables of recent steps. A step over the same tensors as one before plans and uploads nothing.

use super::storage::Storage;
use crate::backend::{Range, Slice};
use crate::rule::records::{ELEMENT_CHUNK, REDUCTION_CHUNK};
use crate::rule::{Program, Role};
use crate::tables::ranges::{Participant, Table, plan};
use crate::{GpuOptimError, ParamSet};

/// How many are kept: enough for a few sets of tensors that take turns.
const KEPT: usize = 8;
/// Above this many elements, chunks are long everywhere, so that tables stay small.
const LARGE: u64 = 1 << 31;
/// Word of the scalars that holds the clip coefficient of tensors without one of their own.
const COMMON_CLIP: u32 = 1;

/// The tables of a step.
#[derive(Clone, Debug)]
pub(super) struct Planned {
    program: usize,
    slots: Vec<usize>,
    /// The row of each slot.
    pub classes: Vec<u32>,
    /// Of the set's and of the optimizer's buffers.
    versions: (u64, u64),
    pub ranges: Vec<Range>,
    pub tensors: Slice,
    pub tensor_count: u32,
    pub partials: u64,
}

impl Planned {
    fn fits(&self, program: usize, slots: &[usize]) -> bool {
        self.program == program && self.slots == slots
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
    pub(super) fn knows(&self, program: usize, slots: &[usize], versions: (u64, u64)) -> bool {
        let latest = self.planned.last();
        latest.is_some_and(|latest| latest.fits(program, slots) && latest.versions == versions)
    }

    /// Makes the tables for this step the latest, or returns the classes to plan it with.
    fn reuse(
        &mut self,
        program: usize,
        slots: &[usize],
        versions: (u64, u64),
        classes: impl FnOnce() -> Vec<u32>,
    ) -> Result<(), Vec<u32>> {
        self.planned.retain(|planned| planned.versions == versions);
        let known = self.planned.iter().rposition(|planned| planned.fits(program, slots));
        let Some(place) = known else { return Err(classes()) };
        if place + 1 == self.planned.len() {
            // All its tensors have taken the same steps since: who shared a row still does.
            return Ok(());
        }
        let planned = self.planned.remove(place);
        let classes = classes();
        if planned.classes != classes {
            return Err(classes);
        }
        self.planned.push(planned);
        Ok(())
    }
}

impl Storage {
    /// The tables of a program over these tensors.
    pub(super) fn planned(
        &mut self,
        (index, program): (usize, &Program),
        slots: &[usize],
        params: &ParamSet,
        classes: impl FnOnce() -> Vec<u32>,
    ) -> Result<&Planned, GpuOptimError> {
        let versions = (params.version(), self.version);
        if let Err(classes) = self.recent.reuse(index, slots, versions, classes) {
            let planned = self.plan((index, program), slots, &classes, params)?;
            if self.recent.planned.len() == KEPT {
                self.recent.planned.remove(0);
            }
            self.recent.planned.push(planned);
        }
        self.recent.planned.last().ok_or_else(|| GpuOptimError::Device("no step has been planned".to_owned()))
    }

    fn plan(
        &self,
        (index, program): (usize, &Program),
        slots: &[usize],
        classes: &[u32],
        params: &ParamSet,
    ) -> Result<Planned, GpuOptimError> {
        let backend = self.device.raw();
        let tensors = params.tensors();
        let participants: Vec<Participant<'_>> = slots
            .iter()
            .zip(classes)
            .map(|(&slot, &row)| Participant {
                slot,
                row,
                clip: COMMON_CLIP,
                len: tensors[slot].len,
                stretches: &self.stretches[slot],
            })
            .collect();
        let elements: u64 = participants.iter().map(|participant| participant.len).sum();
        let reduces = program.partial_words > 0;
        let chunk = if reduces || elements > LARGE { REDUCTION_CHUNK } else { ELEMENT_CHUNK };
        let tables = plan(&participants, chunk as u64, &backend.limits())?;
        let buffer = backend.allocate("tables", tables.words.len() as u64)?;
        backend.write(&buffer, 0, &tables.words)?;
        let slice = |table: &Table| Slice { buffer: buffer.clone(), start: table.start, words: table.words };
        let ranges = tables.ranges.iter().map(|range| Range {
            table: slice(&range.table),
            chunks: range.table.chunks,
            arenas: self.bound(range.segment, params),
        });
        Ok(Planned {
            program: index,
            slots: slots.to_vec(),
            classes: classes.to_vec(),
            versions: (params.version(), self.version),
            ranges: ranges.collect(),
            tensors: slice(&tables.tensors),
            tensor_count: tables.tensors.tensors,
            partials: tables.partials,
        })
    }

    /// What a range over this segment binds.
    fn bound(&self, segment: usize, params: &ParamSet) -> Vec<(Role, Slice)> {
        let place = self.arena(segment);
        let arena = &params.arenas()[place];
        let mut bound = vec![(Role::Param, arena.param.clone()), (Role::Gradient, arena.grad.clone())];
        bound.extend(self.segment(segment).map(|buffer| (Role::State, buffer.whole())));
        let inputs =
            (0..).zip(&self.inputs).filter_map(|(n, arenas)| Some((Role::Input(n), arenas.get(place)?.whole())));
        bound.extend(inputs);
        bound
    }
}
