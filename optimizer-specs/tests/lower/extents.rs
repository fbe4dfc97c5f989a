//! Extents and stages of whole rules.

use optimizer_specs::ir::{Cell, Extent, Graph, Node, NodeId, Op};

use crate::support::{lowered, named};

fn extent_and_stage(node: &Node) -> (Extent, u32) {
    (node.extent, node.stage)
}

fn stored(graph: &Graph, cell: Cell) -> &Node {
    let store = graph.stores.iter().find(|store| store.cell == cell).expect("the cell is stored");
    graph.node(store.value)
}

/// The nodes that neither a node nor a store needs.
fn dead_nodes(graph: &Graph) -> Vec<NodeId> {
    let operands = graph.nodes.iter().flat_map(|node| node.op.operands());
    let used: Vec<NodeId> = operands.chain(graph.stores.iter().map(|store| store.value)).collect();
    (0..graph.nodes.len() as u32).map(NodeId).filter(|id| !used.contains(id)).collect()
}

#[test]
fn every_rule_lowers_to_verified_graphs() {
    let rules = [
        include_str!("../../../tests/rules/adafactor_1d.rs"),
        include_str!("../../../tests/rules/corners.rs"),
        include_str!("../../../tests/rules/functions.rs"),
        include_str!("../../../tests/rules/lion_trust.rs"),
        include_str!("../../../tests/rules/options.rs"),
        include_str!("../../../tests/rules/reductions.rs"),
        include_str!("../../../tests/rules/sam_sgd.rs"),
        include_str!("../../../tests/rules/stable_spam.rs"),
    ];
    let standard = optimizer_specs::standard::ALL.iter().map(|(_, source)| *source);
    for source in standard.chain(rules) {
        let lowered = lowered(source);
        assert_eq!(lowered.warnings.len(), 0, "{}", lowered.rule.name);
        assert_eq!(lowered.variants.iter().filter(|variant| variant.default).count(), 1, "{}", lowered.rule.name);
        for graph in lowered.variants.iter().flat_map(|variant| &variant.graphs) {
            assert_eq!(optimizer_specs::ir::verify::verify(graph), Ok(()), "{}", lowered.rule.name);
            assert_eq!(dead_nodes(graph), [], "{}", lowered.graph_text(graph));
        }
    }
}

#[test]
fn lamb_has_two_stages() {
    let lamb = lowered(include_str!("../../specs/lamb.rs"));
    let graph = &lamb.variants[0].graphs[0];
    assert_eq!(extent_and_stage(named(graph, "bias1")), (Extent::Row, 0));
    assert_eq!(extent_and_stage(stored(graph, Cell::ElementState(0))), (Extent::Element, 0));
    assert_eq!(extent_and_stage(stored(graph, Cell::Param)), (Extent::Element, 1));
    let reductions: Vec<_> = graph.nodes.iter().filter(|node| matches!(node.op, Op::Reduce(..))).collect();
    assert_eq!(reductions.len(), 2);
    assert!(reductions.iter().all(|node| extent_and_stage(node) == (Extent::Tensor, 1)));
}

#[test]
fn stable_spam_chains_two_reductions() {
    let spam = lowered(include_str!("../../../tests/rules/stable_spam.rs"));
    let graph = &spam.variants[0].graphs[0];
    assert_eq!(extent_and_stage(named(graph, "t")), (Extent::Row, 0));
    assert_eq!(extent_and_stage(named(graph, "limit")), (Extent::Tensor, 1));
    assert_eq!(extent_and_stage(named(graph, "clipped")), (Extent::Element, 1));
    assert_eq!(extent_and_stage(named(graph, "size")), (Extent::Tensor, 2));
    assert_eq!(extent_and_stage(stored(graph, Cell::TensorState(2))), (Extent::Tensor, 1));
    assert_eq!(extent_and_stage(stored(graph, Cell::TensorState(3))), (Extent::Tensor, 2));
    assert_eq!(extent_and_stage(stored(graph, Cell::Param)), (Extent::Element, 2));
}

#[test]
fn prodigy_estimates_over_all_tensors() {
    let prodigy = lowered(include_str!("../../specs/prodigy.rs"));
    let variant = prodigy.variants.iter().find(|variant| variant.default).expect("a default");
    assert_eq!(prodigy.states(variant), ["m", "v", "s", "p0", "d", "d_max", "numerator"]);
    assert_eq!(variant.all_states, [4, 5, 6]);
    let graph = &variant.graphs[0];
    assert_eq!(extent_and_stage(named(graph, "beta3")), (Extent::Const, 0));
    assert_eq!(extent_and_stage(named(graph, "gain")), (Extent::All, 0));
    assert_eq!(extent_and_stage(named(graph, "weight")), (Extent::All, 1));
    assert_eq!(extent_and_stage(stored(graph, Cell::AllState(4))), (Extent::All, 1));
    assert_eq!(extent_and_stage(stored(graph, Cell::ElementState(2))), (Extent::Element, 0));
    assert_eq!(extent_and_stage(stored(graph, Cell::Param)), (Extent::Element, 1));
}

#[test]
fn nadam_keeps_its_product_on_the_host() {
    let nadam = lowered(include_str!("../../specs/nadam.rs"));
    assert_eq!(nadam.variants.len(), 2);
    let graph = &nadam.variants[0].graphs[0];
    assert_eq!(nadam.variants[0].host_states, [2]);
    assert_eq!(extent_and_stage(stored(graph, Cell::HostState(2))), (Extent::Row, 0));
    assert_eq!(extent_and_stage(named(graph, "mu_next")), (Extent::Row, 0));
}

#[test]
fn a_mean_is_a_sum_over_the_length() {
    let reductions = lowered(include_str!("../../../tests/rules/reductions.rs"));
    let text = reductions.text();
    assert!(text.contains("= len ") && text.contains("= all_len "), "{text}");
    let graph = &reductions.variants[0].graphs[0];
    assert_eq!(extent_and_stage(named(graph, "centre")), (Extent::Tensor, 1));
    assert_eq!(extent_and_stage(named(graph, "total")), (Extent::All, 2));
    assert_eq!(extent_and_stage(stored(graph, Cell::AllState(1))), (Extent::All, 2));
}
