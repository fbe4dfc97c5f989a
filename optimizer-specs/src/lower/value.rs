//! What an expression is worth while a rule is lowered.
//!
//! Numbers and truth values are nodes of the graph. Options, enum variants and tuples exist at compile time only: a
//! graph knows nothing of them.

use crate::ir::NodeId;

/// The value of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// A number or a truth value.
    Node(NodeId),
    /// An `Option`, with its payload.
    Option(Option<NodeId>),
    /// A variant of an enum, by index.
    Variant(u32),
    /// A tuple.
    Tuple(Vec<Value>),
    /// Nothing.
    Unit,
    /// Already reported; whatever is made of it is not reported again.
    Poison,
}

impl Value {
    /// The node, where there is one.
    pub(super) fn node(&self) -> Option<NodeId> {
        match self {
            Value::Node(id) => Some(*id),
            _ => None,
        }
    }
}

impl From<Option<NodeId>> for Value {
    fn from(node: Option<NodeId>) -> Self {
        node.map_or(Value::Poison, Value::Node)
    }
}
