//! From a plan to kernels: which finish computes which scalar, what goes through slots, and in which order.
//!
//! Guarantees that each scalar is computed as early as it can be; that a finish does all its reads before its writes;
//! and that the old value of a state that a later kernel needs is copied to a slot of its own by the finish that
//! overwrites it.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{Accumulator, Cell, Extent, KernelKind, NodeId, Op, Scope};

use super::facts::Facts;
use super::passes::{Pass, Passes, is_literal};

/// When a kernel runs: `4 * pass + kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub pass: u32,
    kind: u32,
}

impl Place {
    const KINDS: [KernelKind; 4] =
        [KernelKind::Pass, KernelKind::FinishTensor, KernelKind::FinishAll, KernelKind::FinishTensorLate];
    const PASS: u32 = 0;
    const TENSOR: u32 = 1;
    const ALL: u32 = 2;
    const LATE: u32 = 3;

    pub fn kind(self) -> KernelKind {
        Self::KINDS[self.kind as usize]
    }
}

/// A scalar's home, before words are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Home {
    /// The clip coefficient.
    Clip,
    /// The value that a state had before the step, where the state itself is overwritten.
    Old(Cell),
    /// A value that the rule holds in no state.
    Kept(NodeId),
    /// The state itself. Last, so that it is written last.
    State(Cell),
}

/// A kernel, before words are numbered and row fields made.
#[derive(Clone, Debug, Default)]
pub(super) struct Draft {
    pub reads: BTreeMap<Home, NodeId>,
    pub uniform: BTreeSet<NodeId>,
    pub hosts: BTreeSet<NodeId>,
    pub writes: BTreeMap<Home, NodeId>,
    pub accumulators: Vec<Accumulator>,
    /// Of a pass.
    pub elements: Option<Pass>,
}

impl Draft {
    fn is_empty(&self) -> bool {
        let no_stores = self.elements.as_ref().is_none_or(|pass| pass.stores.is_empty());
        self.accumulators.is_empty() && self.writes.is_empty() && no_stores
    }
}

/// The kernels of a plan, in order of execution, without empty ones.
pub(super) fn schedule(facts: &Facts<'_>, passes: &Passes) -> Vec<(Place, Draft)> {
    let mut scheduler = Scheduler::new(facts, passes);
    // From the last kernel to the first: what a kernel reads from a slot, an earlier one must write.
    for pass in (0..facts.passes).rev() {
        for kind in (Place::PASS..=Place::LATE).rev() {
            scheduler.draft(Place { pass, kind });
        }
    }
    scheduler.drafts.reverse();
    scheduler.drafts
}

struct Scheduler<'a> {
    facts: &'a Facts<'a>,
    passes: &'a Passes,
    /// Per node, one more than the pass of the latest reduction over all tensors that it depends on.
    after_all: Vec<u32>,
    /// When each changed scalar state is written.
    written: BTreeMap<Cell, Place>,
    /// Values that go through a slot.
    kept: BTreeSet<NodeId>,
    /// States whose old value a later kernel than the one that overwrites it reads.
    old: BTreeSet<Cell>,
    drafts: Vec<(Place, Draft)>,
}

impl<'a> Scheduler<'a> {
    fn new(facts: &'a Facts<'a>, passes: &'a Passes) -> Self {
        let mut after_all = vec![0; facts.graph.nodes.len()];
        for (index, node) in facts.graph.nodes.iter().enumerate() {
            after_all[index] = match node.op {
                Op::Reduce(_, Scope::All, _) => passes.ready[index],
                _ => node.op.operands().map(|id| after_all[id.0 as usize]).max().unwrap_or(0),
            };
        }
        let mut scheduler = Self {
            facts,
            passes,
            after_all,
            written: BTreeMap::new(),
            kept: BTreeSet::new(),
            old: BTreeSet::new(),
            drafts: Vec::new(),
        };
        for store in &facts.scalar_stores {
            let is_all = matches!(store.cell, Cell::AllState(_));
            scheduler.written.insert(store.cell, scheduler.place(store.value, is_all));
        }
        // Pass 0 computes what it needs for itself; later passes find it in slots.
        for pass in passes.passes.iter().skip(1) {
            let states = |id: &NodeId| matches!(facts.graph.op(*id), Op::Clip | Op::Load(_));
            scheduler.kept.extend(pass.uniforms.iter().filter(|id| !states(id)));
        }
        scheduler
    }

    /// The finish that computes a scalar for all tensors (`is_all`) or for each.
    fn place(&self, id: NodeId, is_all: bool) -> Place {
        let index = id.0 as usize;
        let pass = self.passes.ready[index].saturating_sub(1);
        let late = self.after_all[index] == pass + 1;
        let kind = match (is_all, late) {
            (true, _) => Place::ALL,
            (false, true) => Place::LATE,
            (false, false) => Place::TENSOR,
        };
        Place { pass, kind }
    }

    /// The finish that computes a node.
    fn home_place(&self, id: NodeId) -> Place {
        self.place(id, self.facts.graph.node(id).extent == Extent::All)
    }

    /// Where a kept value stands: in the state that ends with it, if the same finish writes that, else on its own.
    fn home(&self, id: NodeId) -> Home {
        let mut states = self.facts.scalar_stores.iter().filter(|store| store.value == id);
        let state = states.find(|store| self.written.get(&store.cell) == Some(&self.home_place(id)));
        state.map_or(Home::Kept(id), |store| Home::State(store.cell))
    }

    /// Whether a kernel reads this value instead of computing it: an earlier one has it, and did not get it from what
    /// stands in slots anyway.
    fn in_slot(&self, id: NodeId, place: Place) -> bool {
        let needs_reduction = self.passes.ready[id.0 as usize] > 0;
        self.home_place(id) < place && (needs_reduction || self.kept.contains(&id))
    }

    fn draft(&mut self, place: Place) {
        let mut draft = Draft::default();
        let mut targets: Vec<NodeId> = Vec::new();
        let pass = &self.passes.passes[place.pass as usize];
        match place.kind {
            Place::PASS => {
                draft.accumulators = accumulators(self.facts, pass, false);
                draft.hosts.clone_from(&pass.hosts);
                draft.elements = Some(pass.clone());
                targets.extend(&pass.uniforms);
            }
            Place::TENSOR => draft.accumulators = accumulators(self.facts, pass, false),
            Place::ALL => draft.accumulators = accumulators(self.facts, pass, true),
            _ => {}
        }
        if place.kind != Place::PASS {
            draft.writes = self.writes(place);
            targets.extend(draft.writes.values());
        }
        self.compute(place, &mut draft, &targets);
        if !draft.is_empty() {
            self.drafts.push((place, draft));
        }
    }

    fn writes(&self, place: Place) -> BTreeMap<Home, NodeId> {
        let mut writes = BTreeMap::new();
        for store in &self.facts.scalar_stores {
            if self.written.get(&store.cell) == Some(&place) {
                writes.insert(Home::State(store.cell), store.value);
                if let Some(load) = self.load_of(store.cell).filter(|_| self.old.contains(&store.cell)) {
                    writes.insert(Home::Old(store.cell), load);
                }
            }
        }
        for &id in self.kept.iter().filter(|&&id| self.home_place(id) == place) {
            writes.insert(self.home(id), id);
        }
        writes
    }

    fn load_of(&self, cell: Cell) -> Option<NodeId> {
        let index = self.facts.graph.nodes.iter().position(|node| node.op == Op::Load(cell))?;
        Some(NodeId(index as u32))
    }

    /// Fills in what a kernel reads and computes so that it has all targets.
    fn compute(&mut self, place: Place, draft: &mut Draft, targets: &[NodeId]) {
        let graph = self.facts.graph;
        let mut needed = vec![false; graph.nodes.len()];
        for id in targets {
            needed[id.0 as usize] = true;
        }
        for id in (0..graph.nodes.len() as u32).rev().map(NodeId) {
            if !needed[id.0 as usize] {
                continue;
            }
            let node = graph.node(id);
            match node.op {
                op if is_literal(op) => {}
                _ if node.extent.is_host() => _ = draft.hosts.insert(id),
                Op::Clip => _ = draft.reads.insert(Home::Clip, id),
                Op::Load(cell) => {
                    let overwritten = self.written.get(&cell).is_some_and(|&written| written < place);
                    if overwritten {
                        self.old.insert(cell);
                    }
                    let home = if overwritten { Home::Old(cell) } else { Home::State(cell) };
                    draft.reads.insert(home, id);
                }
                // The totals of this very kernel.
                Op::Reduce(..) if self.home_place(id) == place => {}
                _ if self.in_slot(id, place) => {
                    self.kept.insert(id);
                    draft.reads.insert(self.home(id), id);
                }
                _ => {
                    draft.uniform.insert(id);
                    for operand in node.op.operands() {
                        needed[operand.0 as usize] = true;
                    }
                }
            }
        }
    }
}

/// The accumulators of a pass's reductions, all of them or those over all tensors. Words of the partial record are
/// numbered over all of them.
fn accumulators(facts: &Facts<'_>, pass: &Pass, only_all: bool) -> Vec<Accumulator> {
    let mut accumulators = Vec::new();
    let mut partial = 0;
    for &reduction in &pass.reductions {
        let Op::Reduce(kind, scope, _) = facts.graph.op(reduction) else { continue };
        for &combine in kind.combines() {
            if !only_all || scope == Scope::All {
                accumulators.push(Accumulator { reduction, combine, partial, tensor_total: None });
            }
            partial += 1;
        }
    }
    accumulators
}
