//! Graphs that nobody would write: whatever depends on whatever, every plan verifies and computes the same.

use std::collections::BTreeMap;

use optimizer_specs::interp::{Hyper, Memory, Tensor, evaluate, execute};
use optimizer_specs::ir::build::{GraphBuilder, HyperLeaf};
use optimizer_specs::ir::{
    BinaryOp, Cell, Comparison, Extent, Graph, NodeId, Op, ReduceKind, Scope, Store, Type, UnaryOp,
};
use optimizer_specs::plan::{Context, all_plans, records, verify};

/// A fixed sequence.
struct Dice(u64);

impl Dice {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % count
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    fn value(&mut self) -> f32 {
        self.below(2000) as f32 / 1000.0 - 0.9
    }
}

const CELLS: [Cell; 8] = [
    Cell::Param,
    Cell::ElementState(0),
    Cell::ElementState(1),
    Cell::ElementState(2),
    Cell::TensorState(3),
    Cell::TensorState(4),
    Cell::AllState(5),
    Cell::AllState(6),
];

/// A graph of about this many operations. Hyper-parameter 0 is a group's, 1 is shared.
fn graph(dice: &mut Dice, operations: usize) -> Graph {
    let leaf = |shared| HyperLeaf { ty: Type::Real, shared };
    let mut builder = GraphBuilder::new("update", vec![leaf(false), leaf(true)]);
    for op in [Op::RawGrad, Op::GradScale, Op::Clip, Op::Hyper(0), Op::Hyper(1), Op::Real(0.5_f64.to_bits())] {
        builder.push(op);
    }
    for cell in CELLS {
        builder.push(Op::Load(cell));
    }
    let (mut reals, mut truths): (Vec<NodeId>, Vec<NodeId>) = ((0..14).map(NodeId).collect(), Vec::new());
    for _ in 0..operations {
        // New values more often than old ones, so that chains grow.
        let real = |dice: &mut Dice| {
            let recent = reals.len().saturating_sub(6);
            if dice.below(2) == 0 { reals[recent + dice.below(reals.len() - recent)] } else { dice.pick(&reals) }
        };
        let (a, b) = (real(dice), real(dice));
        let on_device = |id| !builder.graph().node(id).extent.is_host();
        let of_elements = builder.graph().node(a).extent == Extent::Element;
        let op = match dice.below(14) {
            0 | 1 if of_elements => {
                let kind = dice.pick(&[ReduceKind::Sum, ReduceKind::Norm, ReduceKind::Min, ReduceKind::Max]);
                Op::Reduce(kind, dice.pick(&[Scope::Tensor, Scope::Tensor, Scope::All]), a)
            }
            2 => Op::Compare(Comparison::Less, a, b),
            3 if !truths.is_empty() => Op::Select(dice.pick(&truths), a, b),
            4 => Op::Unary(dice.pick(&[UnaryOp::Negate, UnaryOp::Abs, UnaryOp::Sign]), a),
            5 => Op::Binary(dice.pick(&[BinaryOp::Min, BinaryOp::Max]), a, b),
            // On the host the logarithm of a negative number would be an error.
            6 if on_device(a) => Op::Unary(dice.pick(&[UnaryOp::Exp, UnaryOp::Ln, UnaryOp::Cbrt, UnaryOp::Tanh]), a),
            7 if on_device(a) || on_device(b) => Op::Binary(BinaryOp::Powf, a, b),
            _ => Op::Binary(dice.pick(&[BinaryOp::Add, BinaryOp::Subtract, BinaryOp::Multiply]), a, b),
        };
        let id = builder.push(op);
        if builder.graph().node(id).ty == Type::Bool { truths.push(id) } else { reals.push(id) }
    }
    let mut stores = Vec::new();
    for cell in CELLS {
        let fits = |id: &NodeId| builder.graph().node(*id).extent.fits(cell.extent());
        let values: Vec<_> = reals.iter().copied().filter(fits).collect();
        let latest = values.len().saturating_sub(5);
        if cell == Cell::Param || dice.below(3) > 0 {
            stores.push(Store { cell, value: values[latest + dice.below(values.len() - latest)] });
        }
    }
    let mut graph = builder.finish();
    graph.stores = stores;
    graph.takes_grad = true;
    graph
}

fn memory(dice: &mut Dice) -> Memory<f32> {
    let mut values = |count| (0..count).map(|_| dice.value()).collect::<Vec<_>>();
    let mut tensor = |length: usize| Tensor {
        shape: vec![length],
        hypers: vec![Hyper::Real(values(1)[0]), Hyper::Real(0.625)],
        step: 3,
        grad_scale: 0.75,
        clip_value: 0.5,
        clip: 0.5,
        grad: values(length),
        inputs: Vec::new(),
        cells: CELLS[..6]
            .iter()
            .map(|&cell| (cell, values(if cell.extent() == Extent::Element { length } else { 1 })))
            .collect(),
        host_states: BTreeMap::new(),
    };
    let tensors = [5, 1, 40].map(&mut tensor).to_vec();
    let all = BTreeMap::from([(Cell::AllState(5), 0.25), (Cell::AllState(6), -1.5)]);
    Memory { tensors, all, run: 4, scalars: Vec::new() }
}

fn bits(memory: &Memory<f32>) -> Vec<u32> {
    let cells = memory.tensors.iter().flat_map(|tensor| tensor.cells.values().flatten());
    cells.chain(memory.all.values()).map(|value| value.to_bits()).collect()
}

#[test]
fn every_plan_of_any_graph_verifies_and_computes_the_same() {
    let (mut plans_run, mut deepest) = (0, 0);
    for seed in 0..400 {
        let mut dice = Dice(seed);
        let operations = 10 + dice.below(30);
        let graph = graph(&mut dice, operations);
        let start = memory(&mut dice);
        let mut direct = start.clone();
        evaluate(&graph, &mut direct).expect("a graph that can be computed");
        let context = Context::of(&graph);
        // The best ones, and the worst.
        let plans = all_plans(&graph);
        let worst = plans.len().saturating_sub(2);
        for plan in plans.iter().take(6).chain(&plans[worst..]) {
            let (all, tensor) = records(&context, std::slice::from_ref(plan));
            assert_eq!(verify(plan, &all, &tensor), Ok(()), "seed {seed}");
            let mut planned = start.clone();
            execute(plan, &all, &tensor, &mut planned).unwrap_or_else(|error| panic!("seed {seed}: {error:?}"));
            assert!(bits(&planned) == bits(&direct), "seed {seed}: {:?}", plan.plan.chosen);
            plans_run += 1;
            deepest = deepest.max(plan.kernels.last().map_or(0, |kernel| kernel.pass));
        }
    }
    assert!(plans_run > 1000 && deepest >= 3, "{plans_run} plans, {deepest}");
}
