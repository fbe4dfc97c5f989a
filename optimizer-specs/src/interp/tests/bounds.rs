//! The bound of WGSL: sloppy implementations stay inside it, mistakes do not.

use super::rules::{M, V, adam, lamb, training};
use super::sloppy::{self, Sloppy};
use super::{Random, binary, builder, storing};
use crate::interp::{Bounded, Count, Memory, Number, Truth, evaluate};
use crate::ir::{BinaryOp, Cell, Comparison, Graph, Op, UnaryOp};

/// How many values are outside the bound, and of how many the bound says nothing.
#[derive(Debug, PartialEq, Eq)]
struct Outside {
    outside: usize,
    unbounded: usize,
}

fn compare<N: Number>(bounded: &Memory<Bounded>, other: &Memory<N>) -> Outside {
    let mut result = Outside { outside: 0, unbounded: 0 };
    for (tensor, others) in bounded.tensors.iter().zip(&other.tensors) {
        for (cell, values) in &tensor.cells {
            for (value, other) in values.iter().zip(&others.cells[cell]) {
                match value.admits(other.to_f32()) {
                    Some(inside) => result.outside += usize::from(!inside),
                    None => result.unbounded += 1,
                }
            }
        }
    }
    result
}

fn steps<N: Number>(graph: &Graph, lengths: &[usize], count: usize) -> Memory<N> {
    let mut memory = training::<N>(lengths, 11);
    let mut random = Random(5);
    for _ in 0..count {
        evaluate(graph, &mut memory).unwrap();
        for tensor in &mut memory.tensors {
            let len = tensor.len();
            tensor.step += 1;
            tensor.grad = random.reals(len);
        }
    }
    memory
}

const LENGTHS: [usize; 3] = [65, 1, 9000];
const INSIDE: Outside = Outside { outside: 0, unbounded: 0 };

#[test]
fn the_bound_is_around_the_f32_interpreter() {
    for graph in [adam(1, 2), lamb().graph] {
        let (bounded, plain) = (steps::<Bounded>(&graph, &LENGTHS, 3), steps::<f32>(&graph, &LENGTHS, 3));
        for (tensor, others) in bounded.tensors.iter().zip(&plain.tensors) {
            for (cell, values) in &tensor.cells {
                assert!(values.iter().zip(&others.cells[cell]).all(|(a, b)| a.value.to_bits() == b.to_bits()));
            }
        }
    }
}

#[test]
fn implementations_that_take_every_allowance_stay_inside() {
    for graph in [adam(1, 2), lamb().graph] {
        let bounded = steps::<Bounded>(&graph, &LENGTHS, 4);
        for seed in 1..9 {
            sloppy::seed(seed);
            assert_eq!(compare(&bounded, &steps::<Sloppy>(&graph, &LENGTHS, 4)), INSIDE, "seed {seed}");
        }
    }
}

#[test]
fn mistakes_leave_the_bound() {
    let len = 4097;
    let bounded = steps::<Bounded>(&adam(1, 2), &[len], 1);

    let mut swapped_states = training::<f32>(&[len], 11);
    let cells = &mut swapped_states.tensors[0].cells;
    let m = cells[&M].clone();
    let v = cells.insert(V, m).unwrap();
    cells.insert(M, v);
    evaluate(&adam(1, 2), &mut swapped_states).unwrap();
    assert!(compare(&bounded, &swapped_states).outside > 2 * len);

    let swapped_betas = steps::<f32>(&adam(2, 1), &[len], 1);
    assert!(compare(&bounded, &swapped_betas).outside > 2 * len);

    let mut dropped_tail = steps::<f32>(&adam(1, 2), &[len], 1);
    let old = training::<f32>(&[len], 11);
    for cell in [Cell::Param, M, V] {
        dropped_tail.tensors[0].cells.get_mut(&cell).unwrap()[len - 1] = old.tensors[0].cells[&cell][len - 1];
    }
    assert_eq!(compare(&bounded, &dropped_tail).outside, 3);
}

#[test]
fn the_bound_of_a_step_is_small() {
    let bounded = steps::<Bounded>(&adam(1, 2), &[4096], 1);
    let widest = |cell: &Cell| {
        let relative = |b: &Bounded| b.bound / f64::from(b.value.abs().max(1e-3));
        bounded.tensors[0].cells[cell].iter().map(relative).fold(0.0, f64::max)
    };
    assert!(widest(&Cell::Param) < 8e-7, "{}", widest(&Cell::Param));
    assert!(widest(&M) < 3e-4, "{}", widest(&M));
    assert!(widest(&V) < 4e-7, "{}", widest(&V));
}

#[test]
fn what_may_be_zero_divides_to_an_infinite_bound() {
    let one = Bounded::exact(1.0);
    assert_eq!(one.divide(Bounded::within(1e-3, 2e-3)).bound, f64::INFINITY);
    assert_eq!(one.divide(Bounded::within(1e-3, 2e-3)).admits(1e3), None);
    assert_eq!(one.divide(Bounded::exact(0.0)).admits(f32::INFINITY), None);
    assert_eq!(Bounded::exact(f32::MAX).multiply(Bounded::exact(2.0)).admits(f32::INFINITY), None);
    assert_eq!(Bounded::from_f32(f32::NAN).admits(f32::NAN), None);
}

#[test]
fn subnormal_values_may_be_zero() {
    let small = Bounded::from_f32(1e-40);
    assert_eq!(small.admits(0.0), Some(true));
    assert_eq!(small.root().admits(0.0), Some(true));
    assert_eq!(small.compare(Comparison::Greater, Bounded::exact(0.0)), Truth { value: true, certain: false });
    assert_eq!(small.sign().bound, 2.0);
    assert_eq!(Bounded::from_f32(1e-30).multiply(Bounded::from_f32(1e-10)).admits(0.0), Some(true));
    assert_eq!(Bounded::exact(0.0).root(), Bounded::exact(0.0));
}

#[test]
fn an_uncertain_condition_widens_to_the_other_arm() {
    let uncertain = Bounded::within(1e-3, 1e-2).compare(Comparison::Less, Bounded::exact(0.0));
    let chosen = Bounded::choose(uncertain, Bounded::exact(-5.0), Bounded::exact(7.0));
    assert_eq!((chosen.value, chosen.bound), (7.0, 12.0));
    let count = Count::choose(uncertain, Count::certain(3), Count::certain(10));
    assert_eq!(count, Count { value: 10, slack: 7 });
    assert_eq!(count.compare(Comparison::Greater, Count::certain(3)), Truth { value: true, certain: false });
    assert_eq!(count.compare(Comparison::Greater, Count::certain(2)), Truth { value: true, certain: true });
    assert_eq!(uncertain.and(Truth::certain(false)), Truth::certain(false));
    assert_eq!(uncertain.or(Truth::certain(true)), Truth::certain(true));
}

#[test]
fn many_factors_may_be_taken_in_any_order() {
    let mut random = Random(7);
    for count in 3..40 {
        let factors: Vec<f32> = random.reals(count).into_iter().map(|real: f32| 1.0 + 0.1 * real).collect();
        let forward = factors[1..].iter().fold(Bounded::exact(factors[0]), |a, &b| a.multiply(Bounded::exact(b)));
        let backward = factors.iter().rev().copied().reduce(|a, b| a * b).unwrap();
        assert_eq!(forward.admits(backward), Some(true), "{count} factors: {forward:?} and {backward}");
        // Each of the products rounds by half an ulp at most, in either order.
        assert!(forward.bound <= f64::from(forward.value) * f64::from(f32::EPSILON) * count as f64, "{forward:?}");
    }
}

#[test]
fn quotients_and_roots_are_off_by_what_wgsl_allows_and_no_more() {
    let off = |value: f32, ulps: i32| f32::from_bits(value.to_bits().wrapping_add_signed(ulps));
    for x in [2.0, 3.0, 1e-6, 1e20, 7.7e-30_f32].map(Bounded::exact) {
        let (quotient, root) = (x.divide(Bounded::exact(1.3)), x.root());
        for sign in [-1, 1] {
            assert_eq!(quotient.admits(off(quotient.value, 2 * sign)), Some(true), "{quotient:?}");
            assert_eq!(quotient.admits(off(quotient.value, 7 * sign)), Some(false), "{quotient:?}");
            assert_eq!(root.admits(off(root.value, 4 * sign)), Some(true), "{root:?}");
            assert_eq!(root.admits(off(root.value, 11 * sign)), Some(false), "{root:?}");
        }
    }
}

#[test]
fn cancellation_shows_the_contracted_product() {
    // a·b − c, where c is the product rounded: 0 separately, the rounding error contracted.
    let mut graph = builder(0);
    let (a, b) = (graph.push(Op::RawGrad), graph.push(Op::Load(Cell::Param)));
    let product = binary(&mut graph, BinaryOp::Multiply, a, b);
    let minus = graph.push(Op::Unary(UnaryOp::Negate, product));
    let c = graph.push(Op::Load(M));
    let difference = binary(&mut graph, BinaryOp::Add, minus, c);
    let graph = storing(graph, &[(V, difference)]);
    let mut memory = training::<Bounded>(&[64], 3);
    let tensor = &mut memory.tensors[0];
    let rounded = tensor.grad.iter().zip(&tensor.cells[&Cell::Param]).map(|(a, b)| Bounded::exact(a.value * b.value));
    let rounded = rounded.collect();
    tensor.cells.insert(M, rounded);
    evaluate(&graph, &mut memory).unwrap();
    let tensor = &memory.tensors[0];
    for (index, difference) in tensor.cells[&V].iter().enumerate() {
        let (a, b) = (tensor.grad[index].value, tensor.cells[&Cell::Param][index].value);
        let contracted = (-a).mul_add(b, a * b);
        assert_eq!(difference.value, 0.0);
        assert_eq!(difference.admits(contracted), Some(true));
        assert_eq!(difference.admits(a * b * 1e-6), Some(false));
    }
}
