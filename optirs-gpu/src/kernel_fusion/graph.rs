//! The graph of operations.

use std::collections::BTreeSet;

use crate::GpuOptimError;

/// What an operation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OpKind {
    /// `a + b`
    Add,
    /// `a · b`
    Mul,
    /// `a − b`
    Sub,
    /// `a / b`
    Div,
    /// `max(a, 0)`
    Relu,
    /// `1 / (1 + e⁻ᵃ)`
    Sigmoid,
    /// `tanh(a)`
    Tanh,
    /// `α · a`
    Scale,
    /// `α · a + b`
    Axpy,
    /// Any other function of the operands' elements at the same place.
    Elementwise,
    /// A product of matrices.
    MatMul,
    /// A sum, or another reduction, of its first input.
    Reduce,
    /// A permutation.
    Transpose,
    /// A tensor that lies in memory: it runs nowhere, and costs nothing but to those that read it. Its inputs are what must
    /// have run before it may be read.
    Load,
}

impl OpKind {
    /// Whether it is elementwise.
    #[must_use]
    pub fn is_fusible(&self) -> bool {
        !matches!(self, Self::MatMul | Self::Reduce | Self::Transpose | Self::Load)
    }

    /// Whether it is not.
    #[must_use]
    pub fn is_barrier(&self) -> bool {
        !self.is_fusible()
    }
}

/// An operation and the tensor that it makes.
#[derive(Debug, Clone)]
pub struct FusionOp {
    /// Its place in the graph.
    pub id: usize,
    /// What it is.
    pub kind: OpKind,
    /// The operations whose results it takes. One without any makes its tensor out of nothing.
    pub inputs: Vec<usize>,
    /// The shape of the result; empty for a scalar.
    pub output_shape: Vec<usize>,
    /// Bytes of an element of the result.
    pub dtype_bytes: usize,
}

impl FusionOp {
    /// Elements of the result.
    ///
    /// # Errors
    /// [`GpuOptimError::UnsupportedOperation`] if 64 bits cannot count them.
    pub fn output_elements(&self) -> Result<u64, GpuOptimError> {
        let lengths = self.output_shape.iter().map(|&length| length as u64);
        lengths.clone().try_fold(1u64, u64::checked_mul).ok_or_else(|| self.too_large("elements"))
    }

    /// Bytes of the result.
    ///
    /// # Errors
    /// [`GpuOptimError::UnsupportedOperation`] if 64 bits cannot count them.
    pub fn output_bytes(&self) -> Result<u64, GpuOptimError> {
        let bytes = self.output_elements()?.checked_mul(self.dtype_bytes as u64);
        bytes.ok_or_else(|| self.too_large("bytes"))
    }

    fn too_large(&self, of: &str) -> GpuOptimError {
        let (id, shape, bytes) = (self.id, &self.output_shape, self.dtype_bytes);
        GpuOptimError::UnsupportedOperation(format!(
            "the result of operation {id}, of shape {shape:?} and {bytes} bytes per element, has more {of} than 64 bits count"
        ))
    }
}

/// Operations, each after those that it takes from.
#[derive(Debug, Default, Clone)]
pub struct FusionGraph {
    ops: Vec<FusionOp>,
    kept: BTreeSet<usize>,
}

impl FusionGraph {
    /// Without operations.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an operation and returns its id. Ids of inputs are checked by [`FusionGraph::validate`].
    pub fn add_op(&mut self, kind: OpKind, inputs: Vec<usize>, output_shape: Vec<usize>, dtype_bytes: usize) -> usize {
        let id = self.ops.len();
        self.ops.push(FusionOp { id, kind, inputs, output_shape, dtype_bytes });
        id
    }

    /// Has the result of an operation written to memory also where every operation that takes it is in the same kernel.
    pub fn keep(&mut self, id: usize) {
        self.kept.insert(id);
    }

    /// Whether [`FusionGraph::keep`] was called for it.
    #[must_use]
    pub fn is_kept(&self, id: usize) -> bool {
        self.kept.contains(&id)
    }

    /// The operations, by id.
    #[must_use]
    pub fn ops(&self) -> &[FusionOp] {
        &self.ops
    }

    /// How many there are.
    #[must_use]
    pub fn num_ops(&self) -> usize {
        self.ops.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ops.is_empty()
    }

    /// Checks that every input and kept operation exists, that no operation comes, by way of others, before itself, and that
    /// all bytes, read and written by a kernel for each operation, can be counted.
    ///
    /// # Errors
    /// [`GpuOptimError::InvalidState`] names the operation; [`GpuOptimError::UnsupportedOperation`] as
    /// [`FusionOp::output_bytes`].
    pub fn validate(&self) -> Result<(), GpuOptimError> {
        let missing = |what: String, id: usize| {
            GpuOptimError::InvalidState(format!("{what} {id}, but there are {} operations", self.ops.len()))
        };
        let mut total = 0u64;
        for op in &self.ops {
            if op.dtype_bytes == 0 {
                return Err(GpuOptimError::InvalidState(format!("operation {} has elements of 0 bytes", op.id)));
            }
            for &input in &op.inputs {
                let input = self.ops.get(input).ok_or_else(|| missing(format!("operation {} takes", op.id), input))?;
                total = total.saturating_add(input.output_bytes()?);
            }
            total = total.saturating_add(op.output_bytes()?);
        }
        if let Some(&id) = self.kept.iter().find(|&&id| id >= self.ops.len()) {
            return Err(missing("it keeps operation".to_owned(), id));
        }
        if total == u64::MAX {
            return Err(GpuOptimError::UnsupportedOperation("all bytes moved are more than 64 bits count".to_owned()));
        }
        self.order().map(|_| ())
    }

    /// The operations, each after its inputs; equal ones in the order of their ids (Kahn's algorithm).
    pub(super) fn order(&self) -> Result<Vec<usize>, GpuOptimError> {
        let mut order = Vec::with_capacity(self.ops.len());
        let mut waits: Vec<usize> = self.ops.iter().map(|op| op.inputs.len()).collect();
        let consumers = self.consumers();
        let mut ready: BTreeSet<usize> = self.ops.iter().filter(|op| op.inputs.is_empty()).map(|op| op.id).collect();
        while let Some(id) = ready.pop_first() {
            order.push(id);
            for &consumer in &consumers[id] {
                waits[consumer] -= 1;
                if waits[consumer] == 0 {
                    ready.insert(consumer);
                }
            }
        }
        if let Some(id) = waits.iter().position(|&waits| waits > 0) {
            let message = format!("operation {id} waits for itself: the graph has a cycle");
            return Err(GpuOptimError::InvalidState(message));
        }
        Ok(order)
    }

    /// The operations that take each one's result, as often as they take it.
    pub(super) fn consumers(&self) -> Vec<Vec<usize>> {
        let mut consumers = vec![Vec::new(); self.ops.len()];
        for op in &self.ops {
            for &input in &op.inputs {
                consumers[input].push(op.id);
            }
        }
        consumers
    }
}
