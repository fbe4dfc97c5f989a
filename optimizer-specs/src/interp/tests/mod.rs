//! Tests of the interpreter on graphs made by hand.

mod bounds;
mod functions;
mod host_arithmetic;
mod orders;
mod programs;
mod rules;
mod sloppy;
mod sums;

use std::collections::BTreeMap;

use super::{Hyper, Memory, Number, Tensor};
use crate::ir::build::{GraphBuilder, HyperLeaf};
use crate::ir::{BinaryOp, Cell, Graph, NodeId, Op, Store, Type, UnaryOp};

/// Reals that are no options and not shared.
fn builder(hypers: usize) -> GraphBuilder {
    GraphBuilder::new("update", vec![HyperLeaf { ty: Type::Real, shared: false }; hypers])
}

fn binary(graph: &mut GraphBuilder, op: BinaryOp, a: NodeId, b: NodeId) -> NodeId {
    graph.push(Op::Binary(op, a, b))
}

fn root(graph: &mut GraphBuilder, a: NodeId) -> NodeId {
    graph.push(Op::Unary(UnaryOp::Sqrt, a))
}

/// The graph with these stores.
fn storing(mut graph: GraphBuilder, stores: &[(Cell, NodeId)]) -> Graph {
    graph.graph_mut().stores = stores.iter().map(|&(cell, value)| Store { cell, value }).collect();
    graph.finish()
}

/// Numbers in (-1, 1) that look random and are the same on every run.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 ^ (self.0 >> 29)) >> 8
    }

    fn real(&mut self) -> f32 {
        (self.bits() % (1 << 24)) as f32 / (1 << 23) as f32 - 1.0
    }

    fn reals<N: Number>(&mut self, count: usize) -> Vec<N> {
        (0..count).map(|_| N::from_f32(self.real())).collect()
    }
}

/// One-dimensional tensors of these lengths, with param and the gradient random.
fn memory<N: Number>(lengths: &[usize], hypers: &[f32], random: &mut Random) -> Memory<N> {
    let tensors = lengths.iter().map(|&len| Tensor {
        shape: vec![len],
        hypers: hypers.iter().map(|&value| Hyper::Real(value)).collect(),
        step: 3,
        grad_scale: 1.0,
        clip_value: f64::INFINITY,
        clip: 1.0,
        grad: random.reals(len),
        inputs: Vec::new(),
        cells: BTreeMap::from([(Cell::Param, random.reals(len))]),
        host_states: BTreeMap::new(),
    });
    Memory { tensors: tensors.collect(), all: BTreeMap::new(), run: 3, scalars: Vec::new() }
}
