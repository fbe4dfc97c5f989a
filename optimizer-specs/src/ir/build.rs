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

    /// The statement that new nodes come from.
    pub fn at(&mut self, statement: Option<StatementId>) {
        self.statement = statement;
    }

    /// The node for an operation: the one that exists, or a new one.
    pub fn push(&mut self, op: Op) -> NodeId {
        if let Some(&id) = self.known.get(&op) {
            return id;
        }
        let id = NodeId(self.graph.nodes.len() as u32);
        let node = Node {
            op,
            ty: self.type_of(op),
            extent: self.extent_of(op),
            stage: self.stage_of(op),
            name: None,
            statement: self.statement,
        };
        self.graph.nodes.push(node);
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

    fn type_of(&self, op: Op) -> Type {
        match op {
            Op::Int(_) | Op::Step | Op::Run | Op::Len | Op::Ndim | Op::Dim(_) | Op::AllLen => Type::Int,
            Op::Bool(_) | Op::Compare(..) => Type::Bool,
            Op::Hyper(index) => self.hypers[index as usize].ty,
            Op::Unary(UnaryOp::ToReal, _) => Type::Real,
            Op::Unary(_, a) | Op::Binary(_, a, _) => self.graph.node(a).ty,
            Op::Select(_, then, _) => self.graph.node(then).ty,
            Op::Reduce(ReduceKind::Count, ..) => Type::Int,
            _ => Type::Real,
        }
    }

    fn extent_of(&self, op: Op) -> Extent {
        match op {
            Op::Step | Op::Len | Op::Ndim | Op::Dim(_) | Op::GradScale => Extent::Row,
            Op::Hyper(index) if !self.hypers[index as usize].shared => Extent::Row,
            Op::Clip => Extent::Tensor,
            Op::RawGrad | Op::Input(_) => Extent::Element,
            Op::Load(cell) => cell.extent(),
            Op::Reduce(_, Scope::Tensor, _) => Extent::Tensor,
            Op::Reduce(_, Scope::All, _) => Extent::All,
            _ => op.operands().fold(Extent::Const, |extent, id| extent.join(self.graph.node(id).extent)),
        }
    }

    fn stage_of(&self, op: Op) -> u32 {
        let operands = op.operands().map(|id| self.graph.node(id).stage).max().unwrap_or(0);
        operands + u32::from(matches!(op, Op::Reduce(..)))
    }
}
