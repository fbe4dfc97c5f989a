//! Host values: f64, decimals, saturating whole numbers, laziness.

use super::{Random, binary, builder, memory, root, storing};
use crate::interp::{Error, Memory, decimal, evaluate};
use crate::ir::build::GraphBuilder;
use crate::ir::{BinaryOp, Cell, Comparison, NodeId, Op, UnaryOp};

/// What `param` becomes when it is set to a host value; one hyper-parameter, 0.999, at step 3.
fn value(build: impl FnOnce(&mut GraphBuilder) -> NodeId) -> Result<f32, Error> {
    let mut graph = builder(1);
    let value = build(&mut graph);
    let graph = storing(graph, &[(Cell::Param, value)]);
    let mut memory: Memory<f32> = memory(&[1], &[0.999], &mut Random(1));
    evaluate(&graph, &mut memory)?;
    Ok(memory.tensors[0].cells[&Cell::Param][0])
}

#[test]
fn a_hyper_parameter_is_the_decimal_that_was_written() {
    assert_eq!(decimal(0.999), 0.999);
    assert_eq!(decimal(1e-8), 1e-8);
    assert_eq!(decimal(f32::MAX), 3.4028235e38);
    let rest = value(|graph| {
        let (one, beta) = (graph.real(1.0), graph.push(Op::Hyper(0)));
        binary(graph, BinaryOp::Subtract, one, beta)
    });
    assert_eq!(rest.unwrap().to_bits(), 0x3a83_126f);
}

#[test]
fn powers_are_square_and_multiply_from_the_lowest_bit() {
    let power = |exponent: i64| {
        value(|graph| {
            let (beta, exponent) = (graph.push(Op::Hyper(0)), graph.push(Op::Int(exponent)));
            binary(graph, BinaryOp::Powi, beta, exponent)
        })
        .unwrap()
    };
    assert_eq!(power(0), 1.0);
    assert_eq!(power(3), (0.999f64 * (0.999f64 * 0.999f64)) as f32);
    assert_eq!(power(-1), (1.0f64 / 0.999f64) as f32);
    assert_eq!(power(1_000_000), 0.0);
}

#[test]
fn whole_numbers_saturate() {
    let int = |op, a, b| {
        value(|graph| {
            let (a, b) = (graph.push(Op::Int(a)), graph.push(Op::Int(b)));
            let result = binary(graph, op, a, b);
            graph.push(Op::Unary(UnaryOp::ToReal, result))
        })
        .unwrap()
    };
    assert_eq!(int(BinaryOp::Add, i64::MAX, 1), i64::MAX as f32);
    assert_eq!(int(BinaryOp::Multiply, i64::MAX, -2), i64::MIN as f32);
    assert_eq!(int(BinaryOp::Divide, -7, 2), -3.0);
    assert_eq!(int(BinaryOp::Remainder, -7, 2), -1.0);
    assert_eq!(int(BinaryOp::Remainder, -7, 0), 0.0);
}

/// `if step > limit { sqrt(negative) } else { 2 }` at step 3.
fn guarded(limit: i64) -> Result<f32, Error> {
    value(|graph| {
        let (step, limit) = (graph.push(Op::Step), graph.push(Op::Int(limit)));
        let condition = graph.push(Op::Compare(Comparison::Greater, step, limit));
        let (negative, two) = (graph.real(-1.0), graph.real(2.0));
        let bad = root(graph, negative);
        graph.name(bad, "rectified");
        let param = graph.push(Op::Load(Cell::Param));
        let bad = binary(graph, BinaryOp::Multiply, param, bad);
        graph.push(Op::Select(condition, bad, two))
    })
}

#[test]
fn an_arm_that_is_not_taken_does_not_exist() {
    assert_eq!(guarded(3), Ok(2.0));
    // Nor where the host chooses, and the row holds what it has chosen.
    let chosen = value(|graph| {
        let (step, limit) = (graph.push(Op::Step), graph.push(Op::Int(3)));
        let condition = graph.push(Op::Compare(Comparison::Greater, step, limit));
        let (negative, two) = (graph.real(-1.0), graph.real(2.0));
        let bad = root(graph, negative);
        graph.push(Op::Select(condition, bad, two))
    });
    assert_eq!(chosen, Ok(2.0));
}

#[test]
fn a_value_that_is_not_finite_is_named() {
    let Err(Error::NotRepresentable { expression, value, tensor }) = guarded(2) else { panic!("no error") };
    assert_eq!((expression.as_str(), tensor), ("rectified", 0));
    assert!(value.is_nan());
}

#[test]
fn a_value_that_overflows_f32_is_refused() {
    let result = value(|graph| graph.real(1e39));
    assert_eq!(result, Err(Error::NotRepresentable { expression: "1e39".into(), value: 1e39, tensor: 0 }));
}
