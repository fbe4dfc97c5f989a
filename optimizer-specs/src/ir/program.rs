//! The program of one entry: its graph cut into kernels, with every load, store, slot and row field spelled out.
//!
//! A step runs the kernels in order. Pass k is followed by its finishes, of which any may be absent: tensor values,
//! all values (from per-tensor results, in tensor order), then tensor values that need those. An emitter prints what
//! stands here and decides nothing; the interpreter executes the same structure.
//!
//! Scalars live in one buffer of 32-bit words:
//! `[header: 4][all record: all_words][tensor record: tensor_words] × slots`.
//! Header word 0 is `found_inf`, word 1 the clip coefficient of tensors without one of their own (1.0 when clipping is
//! off), word 2 the norm of all gradients where the guard has run. A rule that runs before another one and decides both has them for its own record of all tensors: its header is
//! empty. A record begins with the persistent states of its kind, so that a tensor's slot can be appended and copied as
//! one piece; transient values follow.

use super::graph::{Cell, Graph, NodeId, ReduceKind};

/// How a row field is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FieldType {
    /// A real, rounded once to f32.
    F32,
    /// A whole number compared with a count (checked to fit), or a truth value (0 or 1).
    U32,
    /// The exponent of a device `powi` (checked to fit).
    I32,
}

/// One value that the host computes per row and the device reads.
#[derive(Clone, Debug)]
pub struct RowField {
    /// The host node.
    pub node: NodeId,
    /// How it is stored.
    pub ty: FieldType,
    /// Field name in the host struct and in the shaders' `Row`: an identifier, unique in the row.
    pub name: String,
    /// A host Bool node: where it is false the field is not needed and is 0. `None`: always needed.
    pub demand: Option<NodeId>,
}

/// A word of the scalars buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Slot {
    /// The clip coefficient: `scalars[tensor.clip]`.
    Clip,
    /// A word of the record of all tensors: `scalars[4 + word]`.
    All(u32),
    /// A word of the tensor's record: `scalars[4 + all_words + tensor.slot * tensor_words + word]`.
    Tensor(u32),
}

/// What stands in one kind of record of a variant.
#[derive(Clone, Debug, Default)]
pub struct SlotTable {
    /// Rule states (by index) held from word 0 on, one word each.
    pub states: Vec<u32>,
    /// Words of the record: states, then the transient values of the entry that needs most.
    pub words: u32,
}

/// A scalar read at the start of a kernel; it defines a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotRead {
    /// Where from.
    pub slot: Slot,
    /// The node it defines.
    pub node: NodeId,
}

/// A scalar written at the end of a finish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotWrite {
    /// Where to.
    pub slot: Slot,
    /// The value.
    pub node: NodeId,
}

/// Where an element value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LoadSource {
    /// The gradient buffer.
    Gradient,
    /// An extra input, by index.
    Input(u32),
    /// `param` or an element state.
    Cell(Cell),
}

/// An element load; it defines a node: the cell's version 0, or its final version where an earlier pass stored it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// Where from.
    pub source: LoadSource,
    /// The node it defines.
    pub node: NodeId,
}

/// How an accumulator takes in an element's value x, and how two accumulators meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Combine {
    /// From 0: `a + x`.
    Sum,
    /// From 0: `a + x·x`; two meet by addition.
    SumOfSquares,
    /// From 0: with y = x·2⁻⁹⁶, `a + y·y`; two meet by addition.
    ScaledSumOfSquares,
    /// From +∞: `min(a, x)`.
    Min,
    /// From −∞: `max(a, x)`.
    Max,
    /// From 0, u32: `a + 1` where x is true.
    Count,
}

impl ReduceKind {
    /// The running values that a reduction takes.
    pub fn combines(self) -> &'static [Combine] {
        match self {
            ReduceKind::Sum => &[Combine::Sum],
            ReduceKind::Norm => &[Combine::SumOfSquares, Combine::ScaledSumOfSquares],
            ReduceKind::Min => &[Combine::Min],
            ReduceKind::Max => &[Combine::Max],
            ReduceKind::Count => &[Combine::Count],
        }
    }
}

/// One running value of a reduction. `Norm` has two (`SumOfSquares`, then `ScaledSumOfSquares`), others one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accumulator {
    /// The `Op::Reduce` node it serves.
    pub reduction: NodeId,
    /// How it combines.
    pub combine: Combine,
    /// Word in the chunk's partial record, `partials[partial_index * partial_words + partial]`.
    pub partial: u32,
    /// For `Scope::All`: the word of the tensor's record that holds the tensor's total, which `FinishAll` combines.
    pub tensor_total: Option<Slot>,
}

/// What a kernel is. The order of a step: per pass, `Pass`, `FinishTensor`, `FinishAll`, `FinishTensorLate`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KernelKind {
    /// Over elements: one workgroup per chunk.
    Pass,
    /// One workgroup per tensor: totals its partials, computes tensor values.
    FinishTensor,
    /// One workgroup: totals over tensors in table order, computes all values.
    FinishAll,
    /// One workgroup per tensor: tensor values that need this pass's all values.
    FinishTensorLate,
}

/// One dispatch (or one per range, for a pass).
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Entry point, e.g. `update_pass1`, `update_finish1_tensor`, `update_finish1_all`, `update_finish1_tensor_late`.
    pub name: String,
    /// What it is.
    pub kind: KernelKind,
    /// Which pass it is or belongs to, from 0.
    pub pass: u32,
    /// Row fields it reads, ascending indices of [`Program::row`]; each defines its node. In `FinishAll` only fields
    /// of extent Const, read from row 0.
    pub fields: Vec<u32>,
    /// Scalars it reads; each defines its node.
    pub reads: Vec<SlotRead>,
    /// Tensor and all values computed once per workgroup, in order. In a pass before the elements; in a finish after the
    /// totals. Literals are not listed: they print where they are used.
    pub uniform: Vec<NodeId>,
    /// Element loads (passes only).
    pub loads: Vec<Load>,
    /// Element operations, in order (passes only). Literals are not listed.
    pub body: Vec<NodeId>,
    /// Element stores (passes only): the cell and its final value.
    pub stores: Vec<(Cell, NodeId)>,
    /// A pass: accumulates these into the chunk's partial record. `FinishTensor`: totals these; a reduction over the
    /// tensor then defines its node, the total of one over all goes to `tensor_total`. `FinishAll`: totals those of
    /// `Scope::All` over the tensors and defines their nodes.
    pub accumulators: Vec<Accumulator>,
    /// Scalars written by one thread at the end (finishes only), after all reads.
    pub writes: Vec<SlotWrite>,
}

/// One entry under one combination of options, ready to print or run.
#[derive(Clone, Debug)]
pub struct Program {
    /// What is computed.
    pub graph: Graph,
    /// The row, in field order.
    pub row: Vec<RowField>,
    /// In order of execution.
    pub kernels: Vec<Kernel>,
    /// Words of a chunk's partial record: the most that a pass needs.
    pub partial_words: u32,
    /// Bytes that the passes move per element: 4 per load and store.
    pub bytes_per_element: u32,
    /// How the plan was found; for `explain`.
    pub plan: crate::plan::Report,
}

/// One combination of options: what exists in it, and its entries.
#[derive(Clone, Debug)]
pub struct Variant {
    /// Option field and its value, e.g. `("momentum", "0")`, `("nesterov", "true")`, in field order.
    pub options: Vec<(String, String)>,
    /// Element states that exist, by index in the rule's list, in arena order.
    pub element_states: Vec<u32>,
    /// Host states that exist, by index in the rule's list.
    pub host_states: Vec<u32>,
    /// Words of the scalars' header that stand before the record of all tensors: all of them, or none in a rule whose
    /// record of all tensors is the header (`#[gpu_optimizer(header)]`).
    pub header: u32,
    /// The record of all tensors.
    pub all: SlotTable,
    /// The record of one tensor.
    pub tensor: SlotTable,
    /// `update` first, then the entries in order of the source.
    pub programs: Vec<Program>,
}
