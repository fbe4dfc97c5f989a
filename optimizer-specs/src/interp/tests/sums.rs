//! The order of sums, by numbers whose sum depends on it.

use super::{Random, builder, memory, storing};
use crate::interp::{Memory, evaluate};
use crate::ir::{Cell, Graph, Op, ReduceKind, Scope};

/// 2²⁴: the first f32 that 1 can be added to without effect, while 2 has one.
const LARGE: f32 = 16_777_216.0;

fn reduction(kind: ReduceKind, scope: Scope) -> Graph {
    let mut graph = builder(0);
    let grad = graph.push(Op::RawGrad);
    let total = graph.push(Op::Reduce(kind, scope, grad));
    storing(graph, &[(Cell::TensorState(0), total)])
}

/// The sums of tensors given by their elements other than 0.
fn reduce(kind: ReduceKind, scope: Scope, tensors: &[(usize, &[(usize, f32)])]) -> Vec<f32> {
    let lengths: Vec<_> = tensors.iter().map(|&(len, _)| len).collect();
    let mut memory: Memory<f32> = memory(&lengths, &[], &mut Random(1));
    for (tensor, (len, elements)) in memory.tensors.iter_mut().zip(tensors) {
        tensor.grad = vec![0.0; *len];
        elements.iter().for_each(|&(index, value)| tensor.grad[index] = value);
    }
    evaluate(&reduction(kind, scope), &mut memory).unwrap();
    memory.tensors.iter().map(|tensor| tensor.cells[&Cell::TensorState(0)][0]).collect()
}

fn sum(len: usize, elements: &[(usize, f32)]) -> f32 {
    reduce(ReduceKind::Sum, Scope::Tensor, &[(len, elements)])[0]
}

#[test]
fn a_lane_takes_every_1024th_element_in_order() {
    assert_eq!(sum(8192, &[(0, LARGE), (1024, 1.0), (2048, 1.0)]), LARGE);
    assert_eq!(sum(8192, &[(0, 1.0), (1024, 1.0), (2048, LARGE)]), LARGE + 2.0);
}

#[test]
fn a_thread_adds_its_four_lanes_in_pairs() {
    assert_eq!(sum(4, &[(0, LARGE), (1, 1.0), (2, 1.0)]), LARGE);
    assert_eq!(sum(4, &[(0, LARGE), (2, 1.0), (3, 1.0)]), LARGE + 2.0);
}

#[test]
fn threads_meet_in_a_tree_of_halved_strides() {
    // Threads 0 and 128 meet first, then 0 and 64.
    assert_eq!(sum(1024, &[(0, LARGE), (4 * 64, 1.0), (4 * 192, 1.0)]), LARGE + 2.0);
    assert_eq!(sum(1024, &[(0, LARGE), (4 * 128, 1.0), (4 * 64, 1.0)]), LARGE);
}

#[test]
fn chunks_of_8192_go_to_256_threads() {
    // Within one chunk, lanes 0 and 4 meet late; in two chunks each sums on its own first.
    assert_eq!(sum(16384, &[(0, LARGE), (8192, 1.0), (8196, 1.0)]), LARGE + 2.0);
    assert_eq!(sum(257 * 8192, &[(0, LARGE), (8192, 1.0), (256 * 8192, 1.0)]), LARGE);
    assert_eq!(sum(257 * 8192, &[(8192, 1.0), (256 * 8192, 1.0)]), 2.0);
}

#[test]
fn tensors_meet_by_their_place() {
    let totals = reduce(ReduceKind::Sum, Scope::All, &[(3, &[(1, LARGE)]), (1, &[(0, 1.0)]), (9, &[(8, 1.0)])]);
    // Thread 0 meets thread 2 first, then thread 1.
    assert_eq!(totals, [LARGE; 3]);
    let totals = reduce(ReduceKind::Sum, Scope::All, &[(3, &[(1, LARGE)]), (2, &[(0, 1.0), (1, 1.0)])]);
    assert_eq!(totals, [LARGE + 2.0; 2]);
}

#[test]
fn a_norm_does_not_overflow() {
    let norm = |elements: &[(usize, f32)]| reduce(ReduceKind::Norm, Scope::Tensor, &[(9, elements)])[0];
    assert_eq!(norm(&[(0, 3.0), (8, -4.0)]), 5.0);
    assert_eq!(norm(&[(0, 3e37), (8, -4e37)]), 5e37);
    assert_eq!(norm(&[(0, 3e-15), (8, 4e-15)]), 5e-15);
    assert!(norm(&[(3, f32::NAN)]).is_nan());
}

#[test]
fn extremes_pass_over_nan() {
    let elements: &[_] = &[(0, f32::NAN), (1, -2.0), (2, 7.0), (3, f32::NAN)];
    assert_eq!(reduce(ReduceKind::Max, Scope::Tensor, &[(4, elements)]), [7.0]);
    assert_eq!(reduce(ReduceKind::Min, Scope::Tensor, &[(4, elements)]), [-2.0]);
}
