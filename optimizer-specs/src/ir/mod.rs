//! The intermediate representation: what a rule computes, free of Rust syntax and of any target.
//!
//! Two layers, both plain data:
//!
//! * [`graph`]: one [`Graph`] per entry and option combination. A hash-consed arena of typed operations in SSA form;
//!   every node knows its extent (over what it varies) and its stage (after how many reductions it exists).
//! * [`program`]: one [`Program`] per graph. The graph cut into kernels by the pass planner, with every load, store,
//!   scalar slot and row field spelled out, so that an emitter only prints.
//!
//! Passes over the IR may share equal nodes and drop dead ones. They never reassociate, distribute or contract:
//! what the rule's author wrote is what is computed.

pub mod build;
pub mod graph;
pub mod names;
pub mod print;
pub mod program;
pub mod verify;

pub use graph::{
    BinaryOp, Cell, Comparison, Extent, Graph, Node, NodeId, Op, ReduceKind, Scope, Statement, StatementId, Store,
    Type, UnaryOp,
};
pub use names::Names;
pub use program::{
    Accumulator, Combine, FieldType, Kernel, KernelKind, Load, LoadSource, Program, RowField, Slot, SlotRead,
    SlotTable, SlotWrite, Variant,
};
