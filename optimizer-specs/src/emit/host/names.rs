//! Names for host values, and the rule's own text of one.

use std::collections::{BTreeMap, BTreeSet};

use crate::emit::names::unique;
use crate::emit::rust_expression::{Dialect, LONG, Printer, too_long};
use crate::ir;
use crate::ir::{Graph, NodeId, Op, Program};

/// The variables of a row function.
pub(super) struct Names {
    nodes: BTreeMap<NodeId, String>,
    taken: BTreeSet<String>,
}

impl Names {
    /// Names for the nodes of a host computation: leaves after what they are, operations as the rule calls them. An
    /// operation without a name that is used once has none: it is printed inside its user.
    pub fn new(labels: &ir::Names, program: &Program, nodes: &BTreeSet<NodeId>, results: &[NodeId]) -> Self {
        let graph = &program.graph;
        let field = |node| program.row.iter().find(|field| field.node == node).map(|field| field.name.clone());
        let taken = ["context", "hyper", "host_states", "words", "row"].map(str::to_owned).into();
        let mut names = Self { nodes: BTreeMap::new(), taken };
        let operands = nodes.iter().flat_map(|&node| graph.op(node).operands());
        let mut uses: BTreeMap<NodeId, usize> = BTreeMap::new();
        for used in operands.chain(results.iter().copied()) {
            *uses.entry(used).or_default() += 1;
        }
        let mut count = 0;
        for &node in nodes {
            let own = graph.node(node).name.clone();
            let name = match labels.host_leaf(graph.op(node)) {
                Some(name) => name,
                None if matches!(graph.op(node), Op::Real(_) | Op::Int(_) | Op::Bool(_)) => continue,
                None => match own {
                    Some(name) => name,
                    None if uses.get(&node) == Some(&1) => continue,
                    None => field(node).unwrap_or_else(|| {
                        count += 1;
                        format!("t{count}")
                    }),
                },
            };
            let name = names.unique(&name);
            names.nodes.insert(node, name);
        }
        names
    }

    /// The variable that holds a node's value.
    pub fn get(&self, node: NodeId) -> Option<String> {
        self.nodes.get(&node).cloned()
    }

    /// A free name, taken from now on.
    pub fn unique(&mut self, name: &str) -> String {
        unique(&mut self.taken, name)
    }
}

/// A host value as the rule's author would write it, with the names of values that have one.
pub(super) fn expression(labels: &ir::Names, graph: &Graph, node: NodeId) -> String {
    let too_long = too_long(graph, |inner| graph.node(inner).name.is_some());
    let name = |inner: NodeId| {
        let name = graph.node(inner).name.clone();
        name.or_else(|| too_long[inner.0 as usize].then(|| LONG.to_owned()))
    };
    let printer = Printer { labels, graph, dialect: Dialect::Rule, name: &name };
    printer.definition(node)
}
