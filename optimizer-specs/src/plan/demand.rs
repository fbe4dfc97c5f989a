//! Under which host conditions a row field is needed: RAdam's square root of a negative number stands in an arm that is
//! not taken then, so its field must be 0 and not an error.
//!
//! Conditions are kept as binary decision diagrams: `c || !c` is found to be always true whatever its shape.

use std::collections::HashMap;

use crate::ir::build::GraphBuilder;
use crate::ir::{BinaryOp, Extent, Graph, NodeId, Op, UnaryOp};

/// A condition: [`NEVER`], [`ALWAYS`], or an index of [`Diagram::branches`].
type Condition = usize;
const NEVER: Condition = 0;
const ALWAYS: Condition = 1;

/// Per node of a graph, when a device kernel needs its value.
pub(super) struct Demand {
    diagram: Diagram,
    needed: Vec<Condition>,
}

impl Demand {
    /// Follows every path from what the device stores to its operands.
    pub fn new(graph: &Graph, stored: impl Iterator<Item = NodeId>) -> Self {
        let mut diagram = Diagram::default();
        let mut needed = vec![NEVER; graph.nodes.len()];
        for id in stored {
            needed[id.0 as usize] = ALWAYS;
        }
        for index in (0..graph.nodes.len()).rev() {
            let node = &graph.nodes[index];
            if needed[index] == NEVER || node.extent.is_host() {
                continue;
            }
            // A value of all tensors takes in each of them as soon as one of them needs it.
            let here = match node.extent {
                Extent::All => diagram.on_any_tensor(graph, needed[index]),
                _ => needed[index],
            };
            let uses = match node.op {
                Op::Select(condition, then, otherwise) if graph.node(condition).extent.is_host() => {
                    let taken = diagram.of(graph, condition);
                    let not_taken = diagram.not(taken);
                    let (then_when, otherwise_when) = (diagram.both(here, taken), diagram.both(here, not_taken));
                    vec![(condition, here), (then, then_when), (otherwise, otherwise_when)]
                }
                op => op.operands().map(|id| (id, here)).collect(),
            };
            for (id, when) in uses {
                let before = needed[id.0 as usize];
                needed[id.0 as usize] = diagram.either(before, when);
            }
        }
        Self { diagram, needed }
    }

    /// The host Bool node under which a field is needed, added to the graph if need be. `None`: always.
    pub fn node(&self, builder: &mut GraphBuilder, field: NodeId) -> Option<NodeId> {
        match self.needed.get(field.0 as usize) {
            None | Some(&ALWAYS) => None,
            Some(&condition) => Some(self.diagram.node(builder, condition)),
        }
    }
}

/// `if variable { high } else { low }`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Branch {
    variable: NodeId,
    high: Condition,
    low: Condition,
}

#[derive(Default)]
struct Diagram {
    branches: Vec<Branch>,
    known: HashMap<Branch, Condition>,
}

impl Diagram {
    fn branch(&mut self, branch: Branch) -> Condition {
        if branch.high == branch.low {
            return branch.high;
        }
        let next = self.branches.len() + 2;
        let condition = *self.known.entry(branch).or_insert(next);
        if condition == next {
            self.branches.push(branch);
        }
        condition
    }

    fn get(&self, condition: Condition) -> Option<Branch> {
        self.branches.get(condition.checked_sub(2)?).copied()
    }

    /// `if a { b } else { c }`
    fn choose(&mut self, a: Condition, b: Condition, c: Condition) -> Condition {
        let Some(branch) = self.get(a) else { return if a == ALWAYS { b } else { c } };
        let tops = [Some(branch), self.get(b), self.get(c)];
        let first = tops.iter().flatten().map(|branch| branch.variable).min().unwrap_or(branch.variable);
        let half = |diagram: &Self, condition, high| match diagram.get(condition) {
            Some(branch) if branch.variable == first && high => branch.high,
            Some(branch) if branch.variable == first => branch.low,
            _ => condition,
        };
        let halves = [true, false].map(|high| [a, b, c].map(|condition| half(self, condition, high)));
        let [high, low] = halves.map(|[a, b, c]| self.choose(a, b, c));
        self.branch(Branch { variable: first, high, low })
    }

    fn both(&mut self, a: Condition, b: Condition) -> Condition {
        self.choose(a, b, NEVER)
    }

    fn either(&mut self, a: Condition, b: Condition) -> Condition {
        self.choose(a, ALWAYS, b)
    }

    fn not(&mut self, a: Condition) -> Condition {
        self.choose(a, NEVER, ALWAYS)
    }

    /// Whether the condition holds on some tensor, as far as what does not vary over tensors says.
    fn on_any_tensor(&mut self, graph: &Graph, condition: Condition) -> Condition {
        let Some(Branch { variable, high, low }) = self.get(condition) else { return condition };
        let (high, low) = (self.on_any_tensor(graph, high), self.on_any_tensor(graph, low));
        match graph.node(variable).extent {
            Extent::Const => self.branch(Branch { variable, high, low }),
            _ => self.either(high, low),
        }
    }

    fn of(&mut self, graph: &Graph, condition: NodeId) -> Condition {
        match graph.op(condition) {
            Op::Bool(value) => usize::from(value),
            Op::Unary(UnaryOp::Not, inner) => {
                let inner = self.of(graph, inner);
                self.not(inner)
            }
            Op::Binary(BinaryOp::And, a, b) => {
                let (a, b) = (self.of(graph, a), self.of(graph, b));
                self.both(a, b)
            }
            Op::Binary(BinaryOp::Or, a, b) => {
                let (a, b) = (self.of(graph, a), self.of(graph, b));
                self.either(a, b)
            }
            _ => self.branch(Branch { variable: condition, high: ALWAYS, low: NEVER }),
        }
    }

    fn node(&self, builder: &mut GraphBuilder, condition: Condition) -> NodeId {
        let Some(Branch { variable, high, low }) = self.get(condition) else {
            return builder.push(Op::Bool(condition == ALWAYS));
        };
        let not = |builder: &mut GraphBuilder| builder.push(Op::Unary(UnaryOp::Not, variable));
        match (high, low) {
            (ALWAYS, NEVER) => variable,
            (NEVER, ALWAYS) => not(builder),
            (ALWAYS, _) => {
                let low = self.node(builder, low);
                builder.push(Op::Binary(BinaryOp::Or, variable, low))
            }
            (NEVER, _) => {
                let (not, low) = (not(builder), self.node(builder, low));
                builder.push(Op::Binary(BinaryOp::And, not, low))
            }
            (_, NEVER) => {
                let high = self.node(builder, high);
                builder.push(Op::Binary(BinaryOp::And, variable, high))
            }
            (_, ALWAYS) => {
                let (not, high) = (not(builder), self.node(builder, high));
                builder.push(Op::Binary(BinaryOp::Or, not, high))
            }
            _ => {
                let (high, low) = (self.node(builder, high), self.node(builder, low));
                builder.push(Op::Select(variable, high, low))
            }
        }
    }
}
