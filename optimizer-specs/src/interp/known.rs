//! What a kernel knows while it runs: the values of the nodes that its lists have defined so far.

use super::error::Error;
use super::host::Host;
use super::memory::Memory;
use super::number::Number;
use super::value::{Value, apply};
use crate::ir::{Graph, NodeId, Op};

/// A value that may not exist yet.
pub(super) type Word<N> = Option<Value<N>>;

/// What a kernel knows, by node.
#[derive(Clone)]
pub(super) struct Known<'a, N> {
    graph: &'a Graph,
    values: Vec<Word<N>>,
}

impl<'a, N: Number> Known<'a, N> {
    /// What every kernel knows: literals, which print where they are used.
    pub fn literals(graph: &'a Graph, memory: &'a Memory<N>) -> Result<Self, Error> {
        let mut host = Host::new(graph, memory, 0);
        let mut values = vec![None; graph.nodes.len()];
        for (index, node) in graph.nodes.iter().enumerate() {
            values[index] = match node.op {
                Op::Real(bits) => Some(Value::Real(N::from_literal(f64::from_bits(bits)))),
                Op::Int(_) | Op::Bool(_) => Some(Value::from_host(host.value(NodeId(index as u32))?)),
                _ => None,
            };
        }
        Ok(Self { graph, values })
    }

    /// Learns the value of a node.
    pub fn define(&mut self, id: NodeId, value: Value<N>) {
        self.values[id.0 as usize] = Some(value);
    }

    /// The value of a node, if something defined it.
    pub fn read(&self, id: NodeId) -> Result<Value<N>, Error> {
        let undefined = || Error::Malformed(format!("{:?} (node {}) is used and not defined", self.graph.op(id), id.0));
        self.values[id.0 as usize].ok_or_else(undefined)
    }

    /// Computes nodes in order.
    pub fn compute(&mut self, ids: &[NodeId]) -> Result<(), Error> {
        for &id in ids {
            let value = apply(self.graph.op(id), &mut |operand| self.read(operand))?;
            self.define(id, value);
        }
        Ok(())
    }
}

/// The value of a word of memory, if something wrote it.
pub(super) fn defined<N: Copy>(word: Option<&Word<N>>, what: &dyn core::fmt::Debug) -> Result<Value<N>, Error> {
    word.copied().flatten().ok_or_else(|| Error::Malformed(format!("{what:?} is read before it is written")))
}
