//! A row field has one type: an exponent is signed, a number that counts are compared with is not. Where a rule uses one
//! number as both, the exponent gets a node, hence a field, of its own.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{BinaryOp, Graph, Node, NodeId, Op, Store};

/// Exponents of powers that the device computes.
pub(super) fn exponents(graph: &Graph) -> impl Iterator<Item = NodeId> {
    graph.nodes.iter().filter_map(|node| exponent(graph, node.op))
}

fn exponent(graph: &Graph, op: Op) -> Option<NodeId> {
    match op {
        Op::Binary(BinaryOp::Powi, base, exponent) if !graph.node(base).extent.is_host() => Some(exponent),
        _ => None,
    }
}

/// The graph with each number used in one way only.
pub(super) fn set_apart(graph: Graph) -> Graph {
    let device = || graph.nodes.iter().filter(|node| !node.extent.is_host()).map(|node| node.op);
    let elsewhere: BTreeSet<NodeId> =
        device().filter(|&op| exponent(&graph, op).is_none()).flat_map(|op| op.operands()).collect();
    let both: BTreeSet<NodeId> = exponents(&graph).filter(|id| elsewhere.contains(id)).collect();
    if both.is_empty() {
        return graph;
    }
    let mut nodes: Vec<Node> = Vec::new();
    let mut moved: Vec<NodeId> = Vec::new();
    let mut apart = BTreeMap::new();
    for node in &graph.nodes {
        let power = exponent(&graph, node.op).filter(|id| both.contains(id));
        let mut op = node.op.with_operands(|id| moved[id.0 as usize]);
        if let (Some(id), Op::Binary(function, base, same)) = (power, op) {
            let exponent = *apart.entry(id).or_insert_with(|| {
                // The greater of a number and itself: the number, as another node.
                let again = Op::Binary(BinaryOp::Max, same, same);
                nodes.push(Node { op: again, name: Some("exponent".to_owned()), ..graph.node(id).clone() });
                NodeId(nodes.len() as u32 - 1)
            });
            op = Op::Binary(function, base, exponent);
        }
        moved.push(NodeId(nodes.len() as u32));
        nodes.push(Node { op, ..node.clone() });
    }
    let stores = graph.stores.iter().map(|store| Store { value: moved[store.value.0 as usize], ..*store }).collect();
    Graph { nodes, stores, ..graph }
}
