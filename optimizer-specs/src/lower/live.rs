//! Which states exist, and graphs without what nobody needs.

use std::collections::{BTreeMap, BTreeSet};

use crate::checked::Rule;
use crate::ir::{Graph, Node, NodeId, Op, StatementId, Store};

/// The states whose old value reaches `param` in one of the graphs, through values, conditions and other such states,
/// or which are to be kept: the least fixed point.
pub(super) fn live_states(rule: &Rule, graphs: &[Graph]) -> BTreeSet<u32> {
    let kept = rule.states.iter().enumerate().filter(|(_, state)| state.keep);
    let mut live: BTreeSet<u32> = kept.map(|(index, _)| index as u32).collect();
    loop {
        let mut reached = live.clone();
        for graph in graphs {
            let stores = graph.stores.iter().filter(|store| is_live(store, &live));
            let used = graph.below(stores.map(|store| store.value));
            let nodes = graph.nodes.iter().zip(used).filter(|(_, used)| *used);
            reached.extend(nodes.filter_map(|(node, _)| match node.op {
                Op::Load(cell) => cell.state(),
                _ => None,
            }));
        }
        if reached == live {
            return live;
        }
        live = reached;
    }
}

fn is_live(store: &Store, live: &BTreeSet<u32>) -> bool {
    store.cell.state().is_none_or(|state| live.contains(&state))
}

/// The graph with the stores of live cells only, and only the nodes and statements that they need, in their order.
pub(super) fn without_dead(graph: Graph, live: &BTreeSet<u32>) -> Graph {
    let Graph { name, nodes, statements, mut stores, takes_grad } = graph;
    stores.retain(|store| is_live(store, live));
    let graph = Graph { name, nodes, statements, stores, takes_grad };
    let used = graph.below(graph.stores.iter().map(|store| store.value));

    let used_statements: BTreeSet<StatementId> =
        graph.nodes.iter().zip(&used).filter(|(_, used)| **used).filter_map(|(node, _)| node.statement).collect();
    let statement_map: BTreeMap<StatementId, StatementId> =
        used_statements.iter().enumerate().map(|(new, old)| (*old, StatementId(new as u32))).collect();
    let statements = used_statements.iter().map(|id| graph.statements[id.0 as usize].clone()).collect();

    let mut node_map = vec![NodeId(0); graph.nodes.len()];
    let mut nodes: Vec<Node> = Vec::new();
    for (index, node) in graph.nodes.into_iter().enumerate().filter(|(index, _)| used[*index]) {
        node_map[index] = NodeId(nodes.len() as u32);
        let op = node.op.with_operands(|id| node_map[id.0 as usize]);
        let statement = node.statement.and_then(|id| statement_map.get(&id).copied());
        nodes.push(Node { op, statement, ..node });
    }
    let stores = graph.stores.iter().map(|store| Store { value: node_map[store.value.0 as usize], ..*store }).collect();
    Graph { name: graph.name, nodes, statements, stores, takes_grad }
}
