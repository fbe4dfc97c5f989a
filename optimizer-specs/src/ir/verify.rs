//! Checks that a graph is what [`super::graph`] promises.

use std::collections::HashSet;

use super::build::{Derived, HyperLeaf, derive};
use super::graph::{BinaryOp, Cell, Extent, Graph, Node, NodeId, Op, ReduceKind, Type, UnaryOp};

/// Checks every promise of a graph. `Err` names the first node or store that breaks one, and how.
pub fn verify(graph: &Graph) -> Result<(), String> {
    let mut known = HashSet::new();
    for (index, node) in graph.nodes.iter().enumerate() {
        check_node(graph, index, node).map_err(|problem| format!("node {index} ({:?}): {problem}", node.op))?;
        if !known.insert(node.op) {
            return Err(format!("node {index} ({:?}): the operation stands in the graph twice", node.op));
        }
    }
    for (index, store) in graph.stores.iter().enumerate() {
        check_store(graph, store.cell, store.value)
            .map_err(|problem| format!("store to {:?}: {problem}", store.cell))?;
        if index > 0 && graph.stores[index - 1].cell >= store.cell {
            return Err(format!("store to {:?}: stores are not ordered by cell, each once", store.cell));
        }
    }
    Ok(())
}

fn check_node(graph: &Graph, index: usize, node: &Node) -> Result<(), String> {
    if node.op.operands().any(|operand| operand.0 as usize >= index) {
        return Err("an operand does not precede it".to_owned());
    }
    if node.statement.is_some_and(|id| id.0 as usize >= graph.statements.len()) {
        return Err("its statement is not in the table".to_owned());
    }
    // Nothing here knows the hyper-parameters: a leaf is believed.
    let leaf = HyperLeaf { ty: node.ty, shared: node.extent == Extent::Const };
    let derived = derive(graph, node.op, |_| leaf);
    let stated = Derived { ty: node.ty, extent: node.extent, stage: node.stage };
    if stated != derived {
        return Err(format!("it states {stated:?}, but its operands make it {derived:?}"));
    }
    check_leaf(graph, node)?;
    check_types(graph, node)?;
    if node.extent.is_host() { Ok(()) } else { check_device(graph, node) }
}

fn check_leaf(graph: &Graph, node: &Node) -> Result<(), String> {
    match node.op {
        Op::Real(bits) if !f64::from_bits(bits).is_finite() => Err("a literal is not finite".to_owned()),
        Op::Hyper(_) if node.ty == Type::Bool => Err("an option is left as a leaf".to_owned()),
        Op::RawGrad | Op::GradScale | Op::ClipValue | Op::Clip if !graph.takes_grad => {
            Err("the entry takes no gradient, but reads it".to_owned())
        }
        _ => Ok(()),
    }
}

fn check_types(graph: &Graph, node: &Node) -> Result<(), String> {
    let ty = |id: NodeId| graph.node(id).ty;
    let fits = match node.op {
        Op::Unary(function, a) => match function {
            UnaryOp::Not => ty(a) == Type::Bool,
            UnaryOp::ToReal => ty(a) == Type::Int,
            UnaryOp::Negate | UnaryOp::Abs => ty(a) != Type::Bool,
            UnaryOp::Sqrt
            | UnaryOp::Sign
            | UnaryOp::IsFinite
            | UnaryOp::IsNan
            | UnaryOp::Floor
            | UnaryOp::Ceil
            | UnaryOp::Exp
            | UnaryOp::Ln
            | UnaryOp::Cbrt
            | UnaryOp::Tanh => ty(a) == Type::Real,
        },
        Op::Binary(function, a, b) => match function {
            BinaryOp::Add
            | BinaryOp::Subtract
            | BinaryOp::Multiply
            | BinaryOp::Divide
            | BinaryOp::Remainder
            | BinaryOp::Min
            | BinaryOp::Max => ty(a) == ty(b) && ty(a) != Type::Bool,
            BinaryOp::Powi => ty(a) == Type::Real && ty(b) == Type::Int,
            BinaryOp::Powf => ty(a) == Type::Real && ty(b) == Type::Real,
            BinaryOp::And | BinaryOp::Or => ty(a) == Type::Bool && ty(b) == Type::Bool,
        },
        Op::Compare(_, a, b) => ty(a) == ty(b),
        Op::MulAdd(a, b, c) => [a, b, c].into_iter().all(|id| ty(id) == Type::Real),
        Op::Select(condition, then, otherwise) => ty(condition) == Type::Bool && ty(then) == ty(otherwise),
        Op::Reduce(ReduceKind::Count, _, a) => ty(a) == Type::Bool,
        Op::Reduce(_, _, a) => ty(a) == Type::Real,
        _ => true,
    };
    if fits { Ok(()) } else { Err("its operands are of the wrong type".to_owned()) }
}

/// What is allowed where a value is made on the device.
fn check_device(graph: &Graph, node: &Node) -> Result<(), String> {
    match node.op {
        Op::Unary(UnaryOp::Floor | UnaryOp::Ceil, _) | Op::Binary(BinaryOp::Remainder, ..) => {
            Err("it exists on the host only".to_owned())
        }
        Op::Binary(BinaryOp::Powi, _, exponent) if !graph.node(exponent).extent.is_host() => {
            Err("its exponent is made on the device".to_owned())
        }
        Op::Reduce(_, _, a) if graph.node(a).extent != Extent::Element => {
            Err("it reduces what does not vary over elements".to_owned())
        }
        Op::Reduce(ReduceKind::Count, ..) => Ok(()),
        _ if node.ty == Type::Int => Err("it is a whole number on the device, but no count".to_owned()),
        _ => Ok(()),
    }
}

fn check_store(graph: &Graph, cell: Cell, value: NodeId) -> Result<(), String> {
    let Some(node) = graph.nodes.get(value.0 as usize) else {
        return Err("its value is not in the graph".to_owned());
    };
    if node.ty != Type::Real {
        return Err("its value is no real".to_owned());
    }
    if !node.extent.fits(cell.extent()) {
        return Err(format!("its value varies over {:?}, which the cell does not", node.extent));
    }
    if node.op == Op::Load(cell) {
        return Err("it stores what is there".to_owned());
    }
    Ok(())
}
