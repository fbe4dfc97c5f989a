//! Why the interpreter gives no result.

use core::fmt;

use crate::ir::{Graph, NodeId, Op};

/// Why the interpreter gives no result. Memory is then as it was.
#[derive(Clone, Debug, PartialEq)]
pub enum Error {
    /// A host value that the step needs is not finite, or a whole number does not fit its field.
    NotRepresentable {
        /// The rule's name for it, or the statement that it comes from.
        expression: String,
        /// Its value.
        value: f64,
        /// The tensor, by its place among those that take part.
        tensor: usize,
    },
    /// The graph or program is not what the IR promises, or the memory lacks what it reads.
    Malformed(String),
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NotRepresentable { expression, value, tensor } => {
                write!(formatter, "`{expression}` is {value} for tensor {tensor}")
            }
            Error::Malformed(what) => write!(formatter, "malformed: {what}"),
        }
    }
}

impl std::error::Error for Error {}

/// What a reader of the rule calls a node: its name, else its statement, else its operation.
pub(super) fn expression(graph: &Graph, id: NodeId) -> String {
    let node = graph.node(id);
    if let Op::Real(bits) = node.op {
        return format!("{:?}", f64::from_bits(bits));
    }
    let statement = || Some(graph.statements.get(node.statement?.0 as usize)?.text.clone());
    node.name.clone().or_else(statement).unwrap_or_else(|| format!("{:?}", node.op))
}
