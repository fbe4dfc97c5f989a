//! Numbers the words of the scalars buffer: the states of a record first, in the variant's order, then transient
//! values, each in a word of its own.

use std::collections::BTreeMap;

use crate::ir::{Accumulator, Cell, Combine, Extent, Graph, KernelKind, NodeId, Op, Scope, Slot, SlotRead, SlotWrite};

use super::schedule::{Draft, Home};

/// The words given out so far for one program.
pub(super) struct Slots<'a> {
    graph: &'a Graph,
    all_states: &'a [u32],
    tensor_states: &'a [u32],
    transient: BTreeMap<Home, Slot>,
    totals: BTreeMap<(NodeId, u32), Slot>,
    all_words: u32,
    tensor_words: u32,
}

impl<'a> Slots<'a> {
    pub fn new(graph: &'a Graph, all_states: &'a [u32], tensor_states: &'a [u32]) -> Self {
        Self {
            graph,
            all_states,
            tensor_states,
            transient: BTreeMap::new(),
            totals: BTreeMap::new(),
            all_words: all_states.len() as u32,
            tensor_words: tensor_states.len() as u32,
        }
    }

    pub fn reads(&mut self, draft: &Draft) -> Vec<SlotRead> {
        let reads = draft.reads.iter().map(|(&home, &node)| SlotRead { slot: self.slot(home), node });
        let mut reads: Vec<_> = reads.collect();
        reads.sort_by_key(|read| read.slot);
        reads
    }

    pub fn writes(&mut self, draft: &Draft) -> Vec<SlotWrite> {
        draft.writes.iter().map(|(&home, &node)| SlotWrite { slot: self.slot(home), node }).collect()
    }

    /// Gives the totals of reductions over all tensors their words, in the finishes.
    pub fn totals(&mut self, kind: KernelKind, accumulators: &[Accumulator]) -> Vec<Accumulator> {
        let mut accumulators = accumulators.to_vec();
        for accumulator in accumulators.iter_mut().filter(|_| kind != KernelKind::Pass) {
            if let Op::Reduce(_, Scope::All, _) = self.graph.op(accumulator.reduction) {
                let scaled = u32::from(accumulator.combine == Combine::ScaledSumOfSquares);
                let slot = match self.totals.get(&(accumulator.reduction, scaled)) {
                    Some(&slot) => slot,
                    None => self.next(false),
                };
                self.totals.insert((accumulator.reduction, scaled), slot);
                accumulator.tensor_total = Some(slot);
            }
        }
        accumulators
    }

    fn slot(&mut self, home: Home) -> Slot {
        let is_all = match home {
            Home::Clip => return Slot::Clip,
            Home::Kept(node) => self.graph.node(node).extent == Extent::All,
            Home::Old(cell) | Home::State(cell) => matches!(cell, Cell::AllState(_)),
        };
        if let Some(slot) = self.state(home).or_else(|| self.transient.get(&home).copied()) {
            return slot;
        }
        let slot = self.next(is_all);
        self.transient.insert(home, slot);
        slot
    }

    fn state(&self, home: Home) -> Option<Slot> {
        let word = |states: &[u32], state| states.iter().position(|&known| known == state).map(|word| word as u32);
        match home {
            Home::State(Cell::AllState(state)) => word(self.all_states, state).map(Slot::All),
            Home::State(Cell::TensorState(state)) => word(self.tensor_states, state).map(Slot::Tensor),
            _ => None,
        }
    }

    fn next(&mut self, is_all: bool) -> Slot {
        let words = if is_all { &mut self.all_words } else { &mut self.tensor_words };
        *words += 1;
        if is_all { Slot::All(*words - 1) } else { Slot::Tensor(*words - 1) }
    }
}
