//! Merges kernels as long as that is legal.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::partition::{Partition, Prepared};
use super::{FusionGraph, FusionPlan, OpKind};
use crate::GpuOptimError;

/// Plans kernels; see the [module](super) for what is legal.
#[derive(Debug, Clone)]
pub struct FusionPlanner {
    allow_broadcast: bool,
    multi_output: bool,
}

impl Default for FusionPlanner {
    fn default() -> Self {
        Self::new()
    }
}

impl FusionPlanner {
    /// With broadcasting, without multi-output kernels.
    #[must_use]
    pub fn new() -> Self {
        Self { allow_broadcast: true, multi_output: false }
    }

    /// Whether shapes within a kernel may differ by broadcasting.
    #[must_use]
    pub fn with_broadcast(mut self, allow_broadcast: bool) -> Self {
        self.allow_broadcast = allow_broadcast;
        self
    }

    /// Whether operations that only read the same tensor may be one kernel, and whether it may end in reductions.
    #[must_use]
    pub fn with_multi_output(mut self, multi_output: bool) -> Self {
        self.multi_output = multi_output;
        self
    }

    /// The kernels for a graph: the better of two plans, one from merging the best pair first, one from merging along edges
    /// in topological order and then the best pair first. Each merge looks through all pairs of kernels that share a tensor: as
    /// many as there are edges, or, with [`FusionPlanner::with_multi_output`], as pairs of a tensor's readers.
    ///
    /// # Errors
    /// As [`FusionGraph::validate`].
    pub fn plan(&self, graph: &FusionGraph) -> Result<FusionPlan, GpuOptimError> {
        let prepared = Prepared::new(graph, self.allow_broadcast, self.multi_output)?;
        let best_first = merge_best_first(&prepared, Partition::single(graph.num_ops()));
        let in_order = merge_best_first(&prepared, merge_in_order(&prepared));
        let plans = [best_first, in_order].map(|partition| finished(&prepared, &partition));
        let [first, second] = plans;
        let cost = |plan: &FusionPlan| (plan.bytes_fused, plan.groups.len());
        Ok(if cost(&second) < cost(&first) { second } else { first })
    }
}

/// Merges along the edges to each operation, in topological order.
fn merge_in_order(graph: &Prepared<'_>) -> Partition {
    let mut partition = Partition::single(graph.graph.num_ops());
    for &id in &graph.order {
        for &input in &graph.graph.ops()[id].inputs {
            let (a, b) = (partition.of(input), partition.of(id));
            if a != b && graph.fit(&partition.union(a, b)) && !partition.encloses(graph, a, b) {
                partition.merge(a, b);
            }
        }
    }
    partition
}

/// Merges the pair that saves most bytes, of equal ones the first, until no pair is legal.
fn merge_best_first(graph: &Prepared<'_>, mut partition: Partition) -> Partition {
    // What merging a pair saves, if its members fit, does not change until one of the two does.
    let mut savings: BTreeMap<(usize, usize), Option<u64>> = BTreeMap::new();
    loop {
        let mut pairs: Vec<(Reverse<u64>, usize, usize)> = Vec::new();
        for (a, b) in neighbours(graph, &partition) {
            let saving = *savings.entry((a, b)).or_insert_with(|| saving(graph, &partition, a, b));
            pairs.extend(saving.map(|saving| (Reverse(saving), a, b)));
        }
        pairs.sort_unstable();
        let Some((_, a, b)) = pairs.into_iter().find(|&(_, a, b)| !partition.encloses(graph, a, b)) else {
            return partition;
        };
        partition.merge(a, b);
        savings.retain(|&(c, d), _| ![a, b].contains(&c) && ![a, b].contains(&d));
    }
}

/// The bytes that two kernels move more apart than as one; `None` if their members do not fit.
fn saving(graph: &Prepared<'_>, partition: &Partition, a: usize, b: usize) -> Option<u64> {
    let cost = |members: &BTreeSet<usize>| graph.group(members).bytes_fused();
    let union = partition.union(a, b);
    let apart = cost(partition.members(a)) + cost(partition.members(b));
    graph.fit(&union).then(|| apart.saturating_sub(cost(&union)))
}

/// Kernels of which one takes from the other or, in multi-output kernels, both read one tensor.
fn neighbours(graph: &Prepared<'_>, partition: &Partition) -> BTreeSet<(usize, usize)> {
    let mut pairs = BTreeSet::new();
    let mut add = |a: usize, b: usize| {
        if a != b {
            pairs.insert((a.min(b), a.max(b)));
        }
    };
    for op in graph.graph.ops() {
        let consumers = &graph.consumers[op.id];
        for (place, &consumer) in consumers.iter().enumerate() {
            add(partition.of(op.id), partition.of(consumer));
            if graph.multi_output {
                consumers[..place].iter().for_each(|&sibling| add(partition.of(sibling), partition.of(consumer)));
            }
        }
    }
    pairs
}

fn finished(graph: &Prepared<'_>, partition: &Partition) -> FusionPlan {
    let runs = |members: &&BTreeSet<usize>| members.iter().any(|&id| graph.graph.ops()[id].kind != OpKind::Load);
    let mut groups: Vec<_> = partition.kernels().filter(runs).map(|members| graph.group(members)).collect();
    groups.sort_by(|a, b| a.members.cmp(&b.members));
    let bytes_fused: u64 = groups.iter().map(|group| group.bytes_fused()).sum();
    let single = |id: usize| graph.group(&BTreeSet::from([id])).bytes_fused();
    let bytes_unfused: u64 = (0..graph.graph.num_ops()).map(single).sum();
    FusionPlan {
        groups,
        bytes_unfused,
        bytes_fused,
        bytes_saved: bytes_unfused.saturating_sub(bytes_fused),
        speedup_estimate: if bytes_fused == 0 { 1.0 } else { bytes_unfused as f64 / bytes_fused as f64 },
    }
}
