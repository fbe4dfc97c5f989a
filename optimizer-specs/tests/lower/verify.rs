//! Every promise of a graph, broken once.

use optimizer_specs::ir::build::{GraphBuilder, HyperLeaf};
use optimizer_specs::ir::verify::verify;
use optimizer_specs::ir::{
    BinaryOp, Cell, Extent, Graph, NodeId, Op, ReduceKind, Scope, StatementId, Store, Type, UnaryOp,
};

/// `param = param - rate * raw_grad`, as nodes 0 to 4.
fn descent() -> Graph {
    let mut builder = GraphBuilder::new("update", vec![HyperLeaf { ty: Type::Real, shared: false }]);
    let param = builder.push(Op::Load(Cell::Param));
    let rate = builder.push(Op::Hyper(0));
    let gradient = builder.push(Op::RawGrad);
    let step = builder.push(Op::Binary(BinaryOp::Multiply, rate, gradient));
    let value = builder.push(Op::Binary(BinaryOp::Subtract, param, step));
    builder.graph_mut().takes_grad = true;
    builder.graph_mut().stores.push(Store { cell: Cell::Param, value });
    builder.finish()
}

/// What is said after a change of the good graph.
fn broken(change: impl FnOnce(&mut Graph)) -> String {
    let mut graph = descent();
    change(&mut graph);
    verify(&graph).expect_err("the graph is broken")
}

/// What is said of a graph that ends in the given operations.
fn refused(build: impl FnOnce(&mut GraphBuilder) -> Op) -> String {
    let mut builder = GraphBuilder::new("update", vec![HyperLeaf { ty: Type::Bool, shared: false }]);
    builder.graph_mut().takes_grad = true;
    let op = build(&mut builder);
    builder.push(op);
    verify(&builder.finish()).expect_err("the graph is broken")
}

#[test]
fn a_good_graph_passes() {
    assert_eq!(verify(&descent()), Ok(()));
}

#[test]
fn order_and_sharing() {
    assert_eq!(
        broken(|graph| graph.nodes.swap(3, 4)),
        "node 3 (Binary(Subtract, NodeId(0), NodeId(3))): an operand does not precede it"
    );
    assert_eq!(
        broken(|graph| graph.nodes.push(graph.nodes[2].clone())),
        "node 5 (RawGrad): the operation stands in the graph twice"
    );
    assert_eq!(
        broken(|graph| graph.nodes[2].statement = Some(StatementId(0))),
        "node 2 (RawGrad): its statement is not in the table"
    );
}

#[test]
fn what_a_node_states() {
    let stated = broken(|graph| graph.nodes[3].extent = Extent::Tensor);
    assert!(stated.contains("extent: Tensor") && stated.contains("extent: Element"), "{stated}");
    let stated = broken(|graph| graph.nodes[3].stage = 1);
    assert!(stated.contains("stage: 1") && stated.contains("stage: 0"), "{stated}");
    let stated = broken(|graph| graph.nodes[3].ty = Type::Int);
    assert!(stated.contains("ty: Int") && stated.contains("ty: Real"), "{stated}");
}

#[test]
fn leaves() {
    assert_eq!(
        refused(|_| Op::Real(f64::NAN.to_bits())),
        "node 0 (Real(9221120237041090560)): a literal is not finite"
    );
    assert_eq!(refused(|_| Op::Hyper(0)), "node 0 (Hyper(0)): an option is left as a leaf");
    assert_eq!(broken(|graph| graph.takes_grad = false), "node 2 (RawGrad): the entry takes no gradient, but reads it");
}

#[test]
fn types_of_operands() {
    let wrong = "its operands are of the wrong type";
    assert!(refused(|g| Op::Unary(UnaryOp::Not, g.real(1.0))).ends_with(wrong));
    assert!(refused(|g| Op::Unary(UnaryOp::ToReal, g.real(1.0))).ends_with(wrong));
    assert!(refused(|g| Op::Unary(UnaryOp::Sqrt, g.push(Op::Step))).ends_with(wrong));
    assert!(refused(|g| Op::Binary(BinaryOp::Add, g.real(1.0), g.push(Op::Step))).ends_with(wrong));
    assert!(refused(|g| Op::Binary(BinaryOp::And, g.real(1.0), g.real(2.0))).ends_with(wrong));
    assert!(refused(|g| Op::Binary(BinaryOp::Powi, g.real(1.0), g.real(2.0))).ends_with(wrong));
    assert!(refused(|g| Op::Select(g.real(1.0), g.real(2.0), g.real(3.0))).ends_with(wrong));
    assert!(refused(|g| Op::Reduce(ReduceKind::Count, Scope::Tensor, g.push(Op::RawGrad))).ends_with(wrong));
}

#[test]
fn what_the_device_cannot_do() {
    let host = "it exists on the host only";
    assert!(refused(|g| Op::Unary(UnaryOp::Floor, g.push(Op::RawGrad))).ends_with(host));
    assert!(refused(|g| Op::Binary(BinaryOp::Remainder, g.push(Op::RawGrad), g.real(2.0))).ends_with(host));
    assert!(
        refused(|g| Op::Reduce(ReduceKind::Sum, Scope::Tensor, g.real(1.0))).ends_with("does not vary over elements")
    );
    let count = |g: &mut GraphBuilder| {
        let (gradient, zero) = (g.push(Op::RawGrad), g.real(0.0));
        let positive = g.push(Op::Compare(optimizer_specs::ir::Comparison::Greater, gradient, zero));
        g.push(Op::Reduce(ReduceKind::Count, Scope::Tensor, positive))
    };
    let sum = refused(|g| Op::Binary(BinaryOp::Add, count(g), g.push(Op::Int(1))));
    assert!(sum.ends_with("it is a whole number on the device, but no count"), "{sum}");
    let power = refused(|g| Op::Binary(BinaryOp::Powi, g.push(Op::RawGrad), count(g)));
    assert!(power.ends_with("its exponent is made on the device"), "{power}");
}

#[test]
fn stores() {
    let store = |cell, value| Store { cell, value: NodeId(value) };
    assert_eq!(
        broken(|graph| graph.stores.push(store(Cell::Param, 3))),
        "store to Param: stores are not ordered by cell, each once"
    );
    assert_eq!(broken(|graph| graph.stores[0].value = NodeId(9)), "store to Param: its value is not in the graph");
    assert_eq!(broken(|graph| graph.stores[0].value = NodeId(0)), "store to Param: it stores what is there");
    assert_eq!(
        broken(|graph| graph.stores.push(store(Cell::TensorState(0), 3))),
        "store to TensorState(0): its value varies over Element, which the cell does not"
    );
    assert_eq!(
        broken(|graph| graph.nodes[4] = {
            let mut node = graph.nodes[4].clone();
            node.op = Op::Compare(optimizer_specs::ir::Comparison::Less, NodeId(0), NodeId(3));
            node.ty = Type::Bool;
            node
        }),
        "store to Param: its value is no real"
    );
}
