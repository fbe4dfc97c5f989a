//! What the planner decided and what it decided against; printed by `explain`, a golden in the tests.

use crate::ir::{Cell, NodeId};

/// One way to cut a graph into passes. Passes count from 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The pass in which each changed element cell is stored, ordered by cell.
    pub stores: Vec<(Cell, u32)>,
    /// The pass in which each reduction is taken, ordered by node.
    pub reductions: Vec<(NodeId, u32)>,
    /// What it costs.
    pub cost: Cost,
}

/// What a plan costs, in order of importance: a plan is better if the first field that differs is smaller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cost {
    /// Bytes moved per element: 4 for each load and each store of each pass.
    pub bytes: u32,
    /// Element operations over all passes that an earlier pass has already computed; a function counts as its own.
    pub recomputed: u32,
    /// Those of them that feed a comparison. Compilers may contract the two copies differently, and a comparison makes
    /// a whole decision of a last bit.
    pub recomputed_for_comparison: u32,
}

/// How a plan was found.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The plan that was taken.
    pub chosen: Plan,
    /// Ways to put stores and reductions into passes, legal or not; saturated.
    pub candidates: u64,
    /// How many of them are legal. 1 where they were too many to look at.
    pub legal: usize,
    /// Whether all candidates were looked at. If not, every cell is stored in the last pass.
    pub exhaustive: bool,
    /// The next best plans, best first, at most [`Report::RUNNERS_UP`].
    pub runners_up: Vec<Plan>,
}

impl Report {
    /// How many losing plans are kept.
    pub const RUNNERS_UP: usize = 8;

    /// How many candidates there are, in words where they are beyond counting.
    pub fn candidates_text(&self) -> String {
        if self.candidates == u64::MAX { "2⁶⁴ or more".to_owned() } else { self.candidates.to_string() }
    }
}
