//! The kernels that operations are divided into while a plan is made, and what is legal and what it costs.

use std::collections::BTreeSet;

use super::{FusionGraph, FusionGroup, FusionOp, OpKind};
use crate::GpuOptimError;

/// A graph that was validated, with what planning asks of it again and again.
pub(super) struct Prepared<'a> {
    pub graph: &'a FusionGraph,
    pub order: Vec<usize>,
    pub consumers: Vec<Vec<usize>>,
    pub bytes: Vec<u64>,
    pub broadcast: bool,
    pub multi_output: bool,
}

impl<'a> Prepared<'a> {
    pub fn new(graph: &'a FusionGraph, broadcast: bool, multi_output: bool) -> Result<Self, GpuOptimError> {
        graph.validate()?;
        let bytes = graph.ops().iter().map(FusionOp::output_bytes).collect::<Result<_, _>>()?;
        Ok(Self { graph, order: graph.order()?, consumers: graph.consumers(), bytes, broadcast, multi_output })
    }

    fn op(&self, id: usize) -> &'a FusionOp {
        &self.graph.ops()[id]
    }

    /// What a kernel of these members reads and writes.
    pub fn group(&self, members: &BTreeSet<usize>) -> FusionGroup {
        let inputs = members.iter().filter(|&&id| self.op(id).kind != OpKind::Load).flat_map(|&id| &self.op(id).inputs);
        let external_inputs: BTreeSet<usize> = inputs.copied().filter(|input| !members.contains(input)).collect();
        let is_written = |&id: &usize| {
            let consumers = &self.consumers[id];
            let used_elsewhere = consumers.iter().any(|consumer| !members.contains(consumer));
            let is_tensor_in_memory = self.op(id).kind == OpKind::Load;
            !is_tensor_in_memory && (used_elsewhere || consumers.is_empty() || self.graph.is_kept(id))
        };
        let (external_outputs, internal_intermediates): (Vec<usize>, Vec<usize>) =
            members.iter().partition(|&id| is_written(id));
        let sum = |ids: &mut dyn Iterator<Item = &usize>| ids.map(|&id| self.bytes[id]).sum();
        FusionGroup {
            members: members.iter().copied().collect(),
            bytes_read: sum(&mut external_inputs.iter()),
            bytes_written: sum(&mut external_outputs.iter()),
            external_inputs: external_inputs.into_iter().collect(),
            external_outputs,
            internal_intermediates,
        }
    }

    /// Whether operations that are connected may be one kernel, but for the order of kernels.
    pub fn fit(&self, members: &BTreeSet<usize>) -> bool {
        // If all broadcast to one of them, it is the one of most dimensions and, among those, of most elements.
        let shapes = members.iter().map(|&id| self.iterated(id));
        let space = shapes.max_by_key(|shape| (shape.len(), elements(shape)));
        members.iter().all(|&id| {
            let op = self.op(id);
            let may_join = op.kind.is_fusible() || (self.multi_output && op.kind == OpKind::Reduce);
            let mut makers = op.inputs.iter().filter(|input| members.contains(input)).map(|&input| self.op(input));
            may_join
                && space.is_some_and(|space| self.broadcasts(self.iterated(id), space))
                && makers.all(|maker| {
                    maker.kind != OpKind::Reduce && self.broadcasts(&maker.output_shape, self.iterated(id))
                })
        })
    }

    /// The shape over which an operation runs: a reduction's is that of what it reduces.
    fn iterated(&self, id: usize) -> &'a [usize] {
        let op = self.op(id);
        match (op.kind, op.inputs.first()) {
            (OpKind::Reduce, Some(&input)) => &self.op(input).output_shape,
            _ => &op.output_shape,
        }
    }

    fn broadcasts(&self, from: &[usize], to: &[usize]) -> bool {
        let aligned = from.iter().rev().zip(to.iter().rev());
        from == to || (self.broadcast && from.len() <= to.len() && aligned.clone().all(|(a, b)| a == b || *a == 1))
    }
}

fn elements(shape: &[usize]) -> usize {
    shape.iter().fold(1, |elements, &length| elements.saturating_mul(length))
}

/// Each operation in one kernel.
#[derive(Clone)]
pub(super) struct Partition {
    /// The kernel of each operation, by the number of one of its members.
    of: Vec<usize>,
    /// The members of each kernel; empty for numbers that are none.
    members: Vec<BTreeSet<usize>>,
}

impl Partition {
    /// A kernel for each operation.
    pub fn single(count: usize) -> Self {
        Self { of: (0..count).collect(), members: (0..count).map(|id| BTreeSet::from([id])).collect() }
    }

    pub fn of(&self, id: usize) -> usize {
        self.of[id]
    }

    pub fn kernels(&self) -> impl Iterator<Item = &BTreeSet<usize>> {
        self.members.iter().filter(|members| !members.is_empty())
    }

    pub fn union(&self, a: usize, b: usize) -> BTreeSet<usize> {
        &self.members[a] | &self.members[b]
    }

    pub fn members(&self, kernel: usize) -> &BTreeSet<usize> {
        &self.members[kernel]
    }

    pub fn merge(&mut self, a: usize, b: usize) {
        let moved = std::mem::take(&mut self.members[b]);
        for &id in &moved {
            self.of[id] = a;
        }
        self.members[a].extend(moved);
    }

    /// Whether a third kernel would have to run both after and before the two together.
    pub fn encloses(&self, graph: &Prepared<'_>, a: usize, b: usize) -> bool {
        let leads_to = |kernel: usize| {
            let consumers = self.members[kernel].iter().flat_map(|&id| &graph.consumers[id]);
            consumers.map(|&consumer| self.of[consumer]).filter(move |&next| next != kernel)
        };
        let inside = |kernel: usize| kernel == a || kernel == b;
        let mut stack: Vec<usize> = leads_to(a).chain(leads_to(b)).filter(|&kernel| !inside(kernel)).collect();
        let mut seen: BTreeSet<usize> = stack.iter().copied().collect();
        while let Some(kernel) = stack.pop() {
            for next in leads_to(kernel) {
                if inside(next) {
                    return true;
                }
                if seen.insert(next) {
                    stack.push(next);
                }
            }
        }
        false
    }
}
