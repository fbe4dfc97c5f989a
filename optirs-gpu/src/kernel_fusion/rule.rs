//! The graph of an update rule.

use super::{FusionGraph, OpKind};
use crate::GpuOptimError;
use crate::rule::{OperationKind, Program, Rule, RuleParams};

/// Bytes of an f32.
const REAL: usize = 4;

impl FusionGraph {
    /// The operations on one element of a rule's `update` with its default hyper-parameters.
    ///
    /// # Errors
    /// As [`FusionGraph::from_update`].
    pub fn from_rule<R: Rule>() -> Result<Self, GpuOptimError> {
        Self::from_update::<R>(&R::Params::default(), 1)
    }

    /// The operations of a rule's `update` over `elements` elements, with the options that the hyper-parameters choose; see
    /// [`FusionGraph::from_program`].
    ///
    /// # Errors
    /// As [`RuleParams::validate`], and [`GpuOptimError::InvalidState`] for options that the rule does not allow together.
    pub fn from_update<R: Rule>(params: &R::Params, elements: usize) -> Result<Self, GpuOptimError> {
        params.validate()?;
        let variant = R::variant(params).and_then(|variant| R::VARIANTS.get(variant));
        let update = variant.and_then(|variant| variant.programs.first()).ok_or_else(|| {
            GpuOptimError::InvalidState(format!("{} has no update with the options of {params:?}", R::NAME))
        })?;
        Self::from_program(update, elements)
    }

    /// The operations of a compiled entry over `elements` elements: what its passes load, compute, store and reduce, as the
    /// compiler planned them. What is the same for all elements is computed once and is no operation here. What is read
    /// after a reduction waits for it. A value that is stored twice has an operation that copies it.
    ///
    /// Planned with [`FusionPlanner::with_multi_output`](super::FusionPlanner::with_multi_output) its kernels move
    /// [`bytes_per_element`](Program::bytes_per_element) for each element, and 4 bytes for the result of each reduction.
    ///
    /// # Errors
    /// [`GpuOptimError::InvalidState`] for a program that was not made by the compiler: an operation of it comes before one
    /// that it takes from.
    pub fn from_program(program: &Program, elements: usize) -> Result<Self, GpuOptimError> {
        let mut graph = Self::new();
        // The operation of the graph for each operation of the rule: for a store, what it stores.
        let mut places: Vec<usize> = Vec::with_capacity(program.operations.len());
        let mut reductions = Vec::new();
        for operation in program.operations {
            let operands = operation.operands.iter().map(|&operand| places.get(usize::from(operand)).copied());
            let mut inputs: Vec<usize> = operands.collect::<Option<_>>().ok_or_else(|| {
                GpuOptimError::InvalidState(format!(
                    "an operation of {} comes before one that it takes from",
                    program.name
                ))
            })?;
            let whole = vec![elements];
            places.push(match (operation.kind, inputs.as_slice()) {
                (OperationKind::Load, _) => {
                    inputs.extend_from_slice(&reductions);
                    graph.add_op(OpKind::Load, inputs, whole, REAL)
                }
                (OperationKind::Reduce, _) => {
                    let id = graph.add_op(OpKind::Reduce, inputs, Vec::new(), REAL);
                    reductions.push(id);
                    id
                }
                (OperationKind::Store, &[value])
                    if graph.ops().get(value).is_some_and(|op| op.kind != OpKind::Load) && !graph.is_kept(value) =>
                {
                    graph.keep(value);
                    value
                }
                (OperationKind::Store, _) => {
                    let id = graph.add_op(OpKind::Elementwise, inputs, whole, REAL);
                    graph.keep(id);
                    id
                }
                (kind, _) => {
                    let kind = elementwise(kind, inputs.len());
                    graph.add_op(kind, inputs, whole, REAL)
                }
            });
        }
        Ok(graph)
    }
}

/// With fewer operands than the function has, the others are the same for all elements.
fn elementwise(kind: OperationKind, operands: usize) -> OpKind {
    match (kind, operands) {
        (OperationKind::Add, _) => OpKind::Add,
        (OperationKind::Subtract, _) => OpKind::Sub,
        (OperationKind::Multiply, 1) => OpKind::Scale,
        (OperationKind::Multiply, _) => OpKind::Mul,
        (OperationKind::Divide, _) => OpKind::Div,
        (OperationKind::MultiplyAdd, 2) => OpKind::Axpy,
        (OperationKind::Tanh, _) => OpKind::Tanh,
        _ => OpKind::Elementwise,
    }
}
