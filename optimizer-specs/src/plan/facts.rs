//! What the planner must know of a graph before it decides anything: what is live, what can be placed, and where.

use std::ops::RangeInclusive;

use crate::ir::{Cell, Extent, Graph, NodeId, Op, Store};

/// Facts that hold under every plan of a graph.
pub(super) struct Facts<'g> {
    /// The graph.
    pub graph: &'g Graph,
    /// Changed element cells, ordered by cell.
    pub element_stores: Vec<Store>,
    /// Changed tensor and all states, ordered by cell.
    pub scalar_stores: Vec<Store>,
    /// Reductions that something stored depends on, ordered by node.
    pub reductions: Vec<NodeId>,
    /// How many passes every plan has: one more than the latest stage that is stored or reduced.
    pub passes: u32,
    /// Per node, whether an element comparison depends on it.
    pub feeds_comparison: Vec<bool>,
    /// Per node, whether an element value depends on it.
    feeds_element: Vec<bool>,
}

impl<'g> Facts<'g> {
    pub fn new(graph: &'g Graph) -> Self {
        let changed = |store: &&Store| graph.op(store.value) != Op::Load(store.cell);
        let is_element = |cell| matches!(cell, Cell::Param | Cell::ElementState(_));
        let is_scalar = |cell| matches!(cell, Cell::TensorState(_) | Cell::AllState(_));
        let of = |kind: &dyn Fn(Cell) -> bool| -> Vec<Store> {
            graph.stores.iter().filter(changed).filter(|store| kind(store.cell)).copied().collect()
        };
        let (element_stores, scalar_stores) = (of(&is_element), of(&is_scalar));
        let roots = element_stores.iter().chain(&scalar_stores).map(|store| store.value);
        let live = graph.below(roots);
        let ids = || (0..graph.nodes.len() as u32).map(NodeId).filter(|id| live[id.0 as usize]);
        let reductions: Vec<_> = ids().filter(|&id| matches!(graph.op(id), Op::Reduce(..))).collect();
        let elements = || ids().filter(|&id| graph.node(id).extent == Extent::Element);
        let comparisons = elements().filter(|&id| matches!(graph.op(id), Op::Compare(..)));
        let reduced = reductions.iter().flat_map(|&id| graph.op(id).operands().collect::<Vec<_>>());
        let placed = element_stores.iter().map(|store| store.value).chain(reduced.clone());
        let passes = placed.clone().map(|id| graph.node(id).stage + 1).max().unwrap_or(1);
        Self {
            feeds_comparison: graph.below(comparisons),
            feeds_element: graph.below(placed),
            graph,
            element_stores,
            scalar_stores,
            reductions,
            passes,
        }
    }

    /// The passes in which a cell may be stored: from the stage of its final value on.
    pub fn store_passes(&self, store: Store) -> RangeInclusive<u32> {
        self.graph.node(store.value).stage..=self.passes - 1
    }

    /// The passes in which a reduction may be taken: from the stage of its argument on, and where elements need the
    /// result, not in the last one.
    pub fn reduction_passes(&self, reduction: NodeId) -> RangeInclusive<u32> {
        let last = if self.feeds_element[reduction.0 as usize] { self.passes - 2 } else { self.passes - 1 };
        self.graph.node(reduction).stage - 1..=last
    }
}
