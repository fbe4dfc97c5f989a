//! Builds a [`Graph`]: shares equal operations and derives type, extent and stage from the operands.

use std::collections::HashMap;

use super::graph::{Extent, Graph, Node, NodeId, Op, ReduceKind, Scope, StatementId, Type, UnaryOp};

/// What a graph needs to know of a hyper-parameter.
#[derive(Clone, Copy, Debug)]
pub struct HyperLeaf {
    /// Real, or Int for u32.
    pub ty: Type,
    /// Whether all parameter groups share one value: extent Const instead of Row.
    pub shared: bool,
}

/// What a node knows of its value, all of it from its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Derived {
    /// The kind of number.
    pub ty: Type,
    /// Over what it varies.
    pub extent: Extent,
    /// After how many reductions in a row it exists.
    pub stage: u32,
}

/// A graph under construction.
#[derive(Debug, Default)]
pub struct GraphBuilder {
    graph: Graph,
    known: HashMap<Op, NodeId>,
    hypers: Vec<HyperLeaf>,
    statement: Option<StatementId>,
}

impl GraphBuilder {
    /// An empty graph over the given hyper-parameters.
    pub fn new(name: &str, hypers: Vec<HyperLeaf>) -> Self {
        let graph = Graph { name: name.to_owned(), ..Graph::default() };
        Self { graph, hypers, ..Self::default() }
    }

    /// Continues a finished graph: its nodes keep their ids, new ones go behind them. The hyper-parameters that stand
    /// in the graph are known; others cannot be added.
    pub fn resume(graph: Graph) -> Self {
        let mut hypers = Vec::new();
        let mut known = HashMap::new();
        for (index, node) in graph.nodes.iter().enumerate() {
            if let Op::Hyper(hyper) = node.op {
                let leaf = HyperLeaf { ty: Type::Real, shared: false };
                hypers.resize(hypers.len().max(hyper as usize + 1), leaf);
                hypers[hyper as usize] = HyperLeaf { ty: node.ty, shared: node.extent == Extent::Const };
            }
            known.insert(node.op, NodeId(index as u32));
        }
        Self { graph, known, hypers, statement: None }
    }

    /// The graph so far.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The graph so far, to set its statements and stores.
    pub fn graph_mut(&mut self) -> &mut Graph {
        &mut self.graph
    }

    /// The finished graph.
    pub fn finish(self) -> Graph {
        self.graph
    }

    /// Sets the statement that new nodes come from; returns the one before.
    pub fn at(&mut self, statement: Option<StatementId>) -> Option<StatementId> {
        std::mem::replace(&mut self.statement, statement)
    }

    /// What follows for an operation, without adding it.
    pub fn derive(&self, op: Op) -> Derived {
        derive(&self.graph, op, |index| self.hypers[index as usize])
    }

    /// The node for an operation: the one that exists, or a new one.
    pub fn push(&mut self, op: Op) -> NodeId {
        if let Some(&id) = self.known.get(&op) {
            return id;
        }
        let id = NodeId(self.graph.nodes.len() as u32);
        let Derived { ty, extent, stage } = self.derive(op);
        self.graph.nodes.push(Node { op, ty, extent, stage, name: None, statement: self.statement });
        self.known.insert(op, id);
        id
    }

    /// A real literal.
    pub fn real(&mut self, value: f64) -> NodeId {
        self.push(Op::Real(value.to_bits()))
    }

    /// Names a node, unless it has a name.
    pub fn name(&mut self, id: NodeId, name: &str) {
        self.graph.nodes[id.0 as usize].name.get_or_insert_with(|| name.to_owned());
    }
}

/// What follows for an operation from its operands. `hyper` tells of a hyper-parameter by its index.
pub(super) fn derive(graph: &Graph, op: Op, hyper: impl Fn(u32) -> HyperLeaf) -> Derived {
    let ty = match op {
        Op::Int(_) | Op::Step | Op::Run | Op::Len | Op::Ndim | Op::Dim(_) | Op::AllLen => Type::Int,
        Op::Bool(_) | Op::Compare(..) | Op::Unary(UnaryOp::IsFinite | UnaryOp::IsNan, _) => Type::Bool,
        Op::Hyper(index) => hyper(index).ty,
        Op::Unary(UnaryOp::ToReal, _) => Type::Real,
        Op::Unary(_, a) | Op::Binary(_, a, _) => graph.node(a).ty,
        Op::Select(_, then, _) => graph.node(then).ty,
        Op::Reduce(ReduceKind::Count, ..) => Type::Int,
        _ => Type::Real,
    };
    let extent = match op {
        Op::Step | Op::Len | Op::Ndim | Op::Dim(_) | Op::GradScale | Op::ClipValue => Extent::Row,
        Op::Hyper(index) if !hyper(index).shared => Extent::Row,
        Op::Clip => Extent::Tensor,
        Op::RawGrad | Op::Input(_) => Extent::Element,
        Op::Load(cell) => cell.extent(),
        Op::Reduce(_, Scope::Tensor, _) => Extent::Tensor,
        Op::Reduce(_, Scope::All, _) => Extent::All,
        _ => op.operands().fold(Extent::Const, |extent, id| extent.join(graph.node(id).extent)),
    };
    let operands = op.operands().map(|id| graph.node(id).stage).max().unwrap_or(0);
    Derived { ty, extent, stage: operands + u32::from(matches!(op, Op::Reduce(..))) }
}
