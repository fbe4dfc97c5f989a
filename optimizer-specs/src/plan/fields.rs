//! The row: one field for each host value that a kernel reads.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::build::GraphBuilder;
use crate::ir::{FieldType, Graph, Names, NodeId, RowField, Type};

use super::demand::Demand;
use super::exponents::exponents;
use super::names;

/// Fields for these host nodes, in order of the nodes, and the graph with the conditions under which they are needed.
pub(super) fn fields(
    graph: Graph,
    names: &Names,
    hosts: &BTreeSet<NodeId>,
    stored: impl Iterator<Item = NodeId>,
) -> (Graph, Vec<RowField>) {
    let demand = Demand::new(&graph, stored);
    let exponents: BTreeSet<NodeId> = exponents(&graph).collect();
    let mut builder = GraphBuilder::resume(graph);
    let mut taken = BTreeSet::new();
    let field = hosts.iter().map(|&node| {
        let ty = match builder.graph().node(node).ty {
            Type::Real => FieldType::F32,
            Type::Int if exponents.contains(&node) => FieldType::I32,
            Type::Int | Type::Bool => FieldType::U32,
        };
        let name = names::field(names, builder.graph(), node, &mut taken);
        let demand = demand.node(&mut builder, node);
        RowField { node, ty, name, demand }
    });
    let row = field.collect();
    (builder.finish(), row)
}

/// The index of each field by its node.
pub(super) fn indices(row: &[RowField]) -> BTreeMap<NodeId, u32> {
    row.iter().zip(0..).map(|(field, index)| (field.node, index)).collect()
}
