//! The element side of a plan: what each pass loads, computes and stores, and what that costs.
//!
//! Guarantees that a plan for which [`Passes::new`] answers is legal: in each pass, everything stored or reduced can be
//! had from versions of cells that still exist at that time.

use std::collections::BTreeSet;

use crate::functions::Function;
use crate::ir::{Cell, Extent, Load, LoadSource, NodeId, Op, Store};

use super::facts::Facts;
use super::report::Cost;

/// Where everything goes: a pass for each of [`Facts::element_stores`] and [`Facts::reductions`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Assignment {
    pub stores: Vec<u32>,
    pub reductions: Vec<u32>,
}

/// What one pass does.
#[derive(Clone, Debug, Default)]
pub(super) struct Pass {
    pub loads: Vec<Load>,
    /// Element operations.
    pub body: BTreeSet<NodeId>,
    /// Tensor and all values that element code uses directly.
    pub uniforms: BTreeSet<NodeId>,
    /// Host values that element code uses directly, without literals.
    pub hosts: BTreeSet<NodeId>,
    pub stores: Vec<Store>,
    pub reductions: Vec<NodeId>,
}

/// The element side of a legal plan.
#[derive(Clone, Debug)]
pub(super) struct Passes {
    pub passes: Vec<Pass>,
    pub cost: Cost,
    /// Per node, the first pass at whose start it can be had: after the last reduction that it depends on.
    pub ready: Vec<u32>,
}

/// More cells than this that could be reloaded or recomputed are reloaded without a comparison of costs.
const FREE_CHOICES: usize = 8;

impl Passes {
    /// The passes of an assignment, or nothing if it is not legal.
    pub fn new(facts: &Facts<'_>, assignment: &Assignment) -> Option<Self> {
        let ready = ready(facts, assignment);
        let mut passes = Vec::new();
        let mut cost = Cost::default();
        let mut computed = BTreeSet::new();
        for index in 0..facts.passes {
            let (pass, its_cost) = PassBuilder::new(facts, assignment, &ready, index).build(&computed)?;
            computed.extend(pass.body.iter().copied());
            cost.bytes += its_cost.bytes;
            cost.recomputed += its_cost.recomputed;
            cost.recomputed_for_comparison += its_cost.recomputed_for_comparison;
            passes.push(pass);
        }
        Some(Self { passes, cost, ready })
    }
}

fn ready(facts: &Facts<'_>, assignment: &Assignment) -> Vec<u32> {
    let mut ready = vec![0; facts.graph.nodes.len()];
    let mut reductions = facts.reductions.iter().zip(&assignment.reductions).peekable();
    for (index, node) in facts.graph.nodes.iter().enumerate() {
        ready[index] = match reductions.next_if(|(id, _)| id.0 as usize == index) {
            Some((_, pass)) => pass + 1,
            None => node.op.operands().map(|id| ready[id.0 as usize]).max().unwrap_or(0),
        };
    }
    ready
}

struct PassBuilder<'a> {
    facts: &'a Facts<'a>,
    stores: Vec<Store>,
    reductions: Vec<NodeId>,
    /// Cells that an earlier pass stored, with their final values.
    stored: Vec<Store>,
    /// Per node, whether it can be had in this pass.
    available: Vec<bool>,
}

impl<'a> PassBuilder<'a> {
    fn new(facts: &'a Facts<'a>, assignment: &Assignment, ready: &[u32], pass: u32) -> Self {
        let stores = || facts.element_stores.iter().zip(&assignment.stores);
        let reductions = facts.reductions.iter().zip(&assignment.reductions);
        let mut builder = Self {
            facts,
            stores: stores().filter(|&(_, &at)| at == pass).map(|(&store, _)| store).collect(),
            reductions: reductions.filter(|&(_, &at)| at == pass).map(|(&id, _)| id).collect(),
            stored: stores().filter(|&(_, &at)| at < pass).map(|(&store, _)| store).collect(),
            available: Vec::with_capacity(facts.graph.nodes.len()),
        };
        for (index, node) in facts.graph.nodes.iter().enumerate() {
            let available = match node.extent {
                Extent::Const | Extent::Row => true,
                Extent::All | Extent::Tensor => ready[index] <= pass,
                Extent::Element => {
                    let id = NodeId(index as u32);
                    builder.reload(id).is_some() || builder.computable(id)
                }
            };
            builder.available.push(available);
        }
        builder
    }

    /// The cell that holds this node as its final version.
    fn reload(&self, id: NodeId) -> Option<Cell> {
        self.stored.iter().find(|store| store.value == id).map(|store| store.cell)
    }

    /// Where this leaf can be loaded from as it was before the step.
    fn leaf(&self, id: NodeId) -> Option<LoadSource> {
        match self.facts.graph.op(id) {
            Op::RawGrad => Some(LoadSource::Gradient),
            Op::Input(index) => Some(LoadSource::Input(index)),
            Op::Load(cell) if !self.stored.iter().any(|store| store.cell == cell) => Some(LoadSource::Cell(cell)),
            _ => None,
        }
    }

    /// Whether an element node can be had without reloading it.
    fn computable(&self, id: NodeId) -> bool {
        let mut operands = self.facts.graph.op(id).operands().peekable();
        match operands.peek() {
            None => self.leaf(id).is_some(),
            Some(_) => operands.all(|operand| self.available[operand.0 as usize]),
        }
    }

    /// What must be had at the end of the pass.
    fn targets(&self) -> impl Iterator<Item = NodeId> {
        let reduced = self.reductions.iter().flat_map(|&id| self.facts.graph.op(id).operands());
        self.stores.iter().map(|store| store.value).chain(reduced)
    }

    /// The best way to have all targets: whether to reload or to recompute is decided by cost, for each cell.
    fn build(&self, computed: &BTreeSet<NodeId>) -> Option<(Pass, Cost)> {
        if !self.targets().all(|id| self.available[id.0 as usize]) {
            return None;
        }
        let is_operation = |id: NodeId| self.facts.graph.op(id).operands().next().is_some();
        let mut free: Vec<NodeId> = self.stored.iter().map(|store| store.value).collect();
        free.retain(|&id| is_operation(id) && self.facts.graph.node(id).extent == Extent::Element);
        free.retain(|&id| self.computable(id));
        let choices = if free.len() > FREE_CHOICES { 1 } else { 1_u32 << free.len() };
        // Bit i set: recompute. In order of the bits, so that of equal costs the one that reloads more is taken.
        let built = (0..choices).map(|bits| {
            let recompute = |id: NodeId| free.iter().position(|&f| f == id).is_some_and(|i| bits >> i & 1 == 1);
            let pass = self.with(recompute);
            let cost = self.cost(&pass, computed);
            (pass, cost)
        });
        built.min_by_key(|(_, cost)| *cost)
    }

    fn with(&self, recompute: impl Fn(NodeId) -> bool) -> Pass {
        let graph = self.facts.graph;
        let mut pass = Pass { stores: self.stores.clone(), reductions: self.reductions.clone(), ..Pass::default() };
        let mut needed = vec![false; graph.nodes.len()];
        for id in self.targets() {
            needed[id.0 as usize] = true;
        }
        for id in (0..graph.nodes.len() as u32).rev().map(NodeId) {
            if !needed[id.0 as usize] {
                continue;
            }
            let node = graph.node(id);
            match node.extent {
                Extent::Const | Extent::Row if is_literal(node.op) => {}
                Extent::Const | Extent::Row => _ = pass.hosts.insert(id),
                Extent::All | Extent::Tensor => _ = pass.uniforms.insert(id),
                Extent::Element => {
                    let reload = || self.reload(id).filter(|_| !recompute(id)).map(LoadSource::Cell);
                    if let Some(source) = self.leaf(id).or_else(reload) {
                        pass.loads.push(Load { source, node: id });
                        continue;
                    }
                    pass.body.insert(id);
                    for operand in node.op.operands() {
                        needed[operand.0 as usize] = true;
                    }
                }
            }
        }
        pass.loads.sort_by_key(|load| (load.source, load.node));
        pass
    }

    fn cost(&self, pass: &Pass, computed: &BTreeSet<NodeId>) -> Cost {
        let again = || pass.body.intersection(computed);
        Cost {
            bytes: 4 * (pass.loads.len() + pass.stores.len()) as u32,
            recomputed: again().map(|&id| operations(self.facts.graph.op(id))).sum(),
            recomputed_for_comparison: again().filter(|id| self.facts.feeds_comparison[id.0 as usize]).count() as u32,
        }
    }
}

/// How many operations of the device one is.
fn operations(op: Op) -> u32 {
    Function::of(op).map_or(1, Function::operations)
}

/// Whether a node is written into the code where it is used.
pub(super) fn is_literal(op: Op) -> bool {
    matches!(op, Op::Real(_) | Op::Int(_) | Op::Bool(_))
}
