//! Sets beside a set: the same tensors, with memory of their own for what is kept of them, and the memory of the set, in
//! place, for the other half. A program then runs over both: the kept is its parameters and the set's its gradients, or
//! the other way round.

use std::collections::HashMap;

use super::{Arena, Kind, ParamSet, Standing, Tensor, next_id, regrown};
use crate::GpuOptimError;

/// What is kept of a set, as parameters; the gradients are the set's parameters or gradients.
#[derive(Debug)]
pub(crate) struct Beside {
    /// The kept.
    pub set: ParamSet,
    /// Which half of the set it follows.
    kind: Kind,
    source: u64,
    version: u64,
}

impl Beside {
    /// Memory, of zeros, for as much as half of a set.
    pub(crate) fn of(source: &ParamSet, kind: Kind) -> Result<Beside, GpuOptimError> {
        let set = ParamSet {
            device: source.device.clone(),
            id: next_id(),
            version: 0,
            changes: 0,
            layout: source.layout.clone(),
            arenas: Vec::new(),
            tensors: Vec::new(),
            slots: HashMap::new(),
            freed: HashMap::new(),
        };
        let mut beside = Beside { set, kind, source: source.id, version: 0 };
        beside.grow(source)?;
        beside.follow(source)?;
        Ok(beside)
    }

    /// Takes in what the set has gained or lost. What is kept of its other tensors stays.
    pub(crate) fn follow(&mut self, source: &ParamSet) -> Result<(), GpuOptimError> {
        if self.source != source.id {
            return Err(GpuOptimError::InvalidState(
                "it was made of another `ParamSet`: make one of this set".to_owned(),
            ));
        }
        if self.version != source.version {
            self.grow(source)?;
        }
        for (tensor, of) in self.set.tensors.iter_mut().zip(&source.tensors) {
            if of.standing == Standing::Removed && tensor.standing != Standing::Removed {
                tensor.standing = Standing::Removed;
                self.set.changes += 1;
            }
        }
        if self.set.slots != source.slots {
            self.set.slots.clone_from(&source.slots);
        }
        Ok(())
    }

    /// The same memory with its halves changed over: a set whose parameters are the source's.
    pub(crate) fn reversed(&self) -> ParamSet {
        let changed_over =
            |arena: &Arena| Arena { param: arena.grad.clone(), grad: arena.param.clone(), foreign: true };
        ParamSet {
            device: self.set.device.clone(),
            id: self.set.id,
            version: self.set.version,
            changes: self.set.changes,
            layout: self.set.layout.clone(),
            arenas: self.set.arenas.iter().map(changed_over).collect(),
            tensors: self.set.tensors.clone(),
            slots: self.set.slots.clone(),
            freed: HashMap::new(),
        }
    }

    /// Whether programs take this tensor.
    pub(crate) fn take(&mut self, slot: usize, takes: bool) {
        self.set.have_grad(slot, takes);
    }

    fn grow(&mut self, source: &ParamSet) -> Result<(), GpuOptimError> {
        let set = &self.set;
        let mut arenas = Vec::with_capacity(source.arenas.len());
        for (place, arena) in source.arenas.iter().enumerate() {
            let half = arena.slice(self.kind);
            let held = set.arenas.get(place).map(|held| &held.param.buffer);
            let own = regrown(&set.device, held, "kept beside parameters", half.words)?;
            arenas.push(Arena { param: own.whole(), grad: half.clone(), foreign: true });
        }
        let kept = |tensor: &Tensor| {
            let mut tensor = Tensor { has_grad: true, standing: Standing::Trained, ..tensor.clone() };
            for part in &mut tensor.parts {
                let start = part.start_of(self.kind);
                (part.start, part.grad_start) = (start, start);
            }
            tensor
        };
        let added = source.tensors.iter().skip(set.tensors.len()).map(kept).collect::<Vec<_>>();
        self.set.arenas = arenas;
        self.set.tensors.extend(added);
        self.set.layout = source.layout.clone();
        self.set.version += 1;
        self.set.changes += 1;
        self.version = source.version;
        Ok(())
    }
}
