//! Zeros, infinities, NaN, subnormal numbers, ends of ranges, and what is exact.

use super::{UNARY, distance};
use crate::functions::Function;

const NAN: u32 = 0x7fc0_0000;

/// Magnitudes at which something ends or begins.
fn magnitudes() -> Vec<f32> {
    let mut edges = vec![0.0, f32::MIN_POSITIVE, f32::MAX, f32::INFINITY, f32::NAN, 3.0, 5.0, 0.1, 1e-10, 9.01, 10.0];
    edges.extend([
        f32::from_bits(1),
        f32::from_bits(0x7f_ffff),
        88.722_83,
        88.722_84,
        87.336_54,
        103.972_07,
        103.972_08,
        104.0,
    ]);
    // Whole numbers where fractions end and where odd ones end.
    edges.extend([8_388_607.0, 8_388_607.5, 8_388_609.0, 16_777_215.0, 16_777_216.0, 16_777_218.0, 1e9, 1e10]);
    edges.extend((-149..128).map(|exponent| 2_f64.powi(exponent) as f32));
    edges
        .extend((0..edges.len()).flat_map(|at| [edges[at].next_up(), edges[at].next_down().abs()]).collect::<Vec<_>>());
    edges
}

fn edges() -> Vec<f32> {
    magnitudes().into_iter().flat_map(|magnitude| [magnitude, -magnitude]).collect()
}

/// Whether a value is near enough, of the right sign if it is 0, and the one NaN if it is one.
fn holds(function: Function, arguments: &[f32]) {
    let exact = function.reference(&arguments.iter().map(|&argument| argument.into()).collect::<Vec<_>>());
    let value = function.value(arguments);
    let (name, near) = (function.name(), distance(value, exact) <= Function::MOST_ULPS);
    assert!(near, "{name} of {arguments:?} is {value:?} instead of {exact:?}");
    let right =
        if value.is_nan() { value.to_bits() == NAN } else { value.is_sign_negative() == exact.is_sign_negative() };
    assert!(right, "{name} of {arguments:?} is {value:?} ({:#010x}) instead of {exact:?}", value.to_bits());
}

#[test]
fn every_function_at_its_edges() {
    for function in UNARY {
        for x in edges() {
            holds(function, &[x]);
        }
    }
}

#[test]
fn powers_of_every_edge_with_every_edge() {
    let edges = edges();
    for &x in &edges {
        for &y in edges.iter().step_by(3).chain(&[0.0, 1.0, -1.0, 2.0, 3.0, -3.0, 0.5, f32::INFINITY, f32::NAN]) {
            holds(Function::Powf, &[x, y]);
        }
    }
}

#[test]
fn powers_of_what_is_not_finite_are_those_of_c() {
    let (infinity, nan) = (f32::INFINITY, f32::NAN);
    for (x, y, power) in [
        (0.0, 0.0, 1.0),
        (nan, 0.0, 1.0),
        (1.0, nan, 1.0),
        (1.0, infinity, 1.0),
        (-1.0, infinity, 1.0),
        (-1.0, -infinity, 1.0),
        (0.5, infinity, 0.0),
        (0.5, -infinity, infinity),
        (-2.0, infinity, infinity),
        (-2.0, -infinity, 0.0),
        (-0.0, 3.0, -0.0),
        (-0.0, 2.0, 0.0),
        (-0.0, -3.0, -infinity),
        (-0.0, -2.0, infinity),
        (0.0, -0.5, infinity),
        (-infinity, 3.0, -infinity),
        (-infinity, 0.5, infinity),
        (-infinity, -3.0, -0.0),
        (infinity, -0.5, 0.0),
        (-8.0, 3.0, -512.0),
        (-8.0, 1.0 / 3.0, nan),
        (nan, 1.0, nan),
        (-1.0, nan, nan),
    ] {
        let value = Function::Powf.value(&[x, y]);
        let power: f32 = power;
        let same = if power.is_nan() { value.to_bits() == NAN } else { value.to_bits() == power.to_bits() };
        assert!(same, "{x:?} to the power of {y:?} is {value:?} instead of {power:?}");
    }
}

#[test]
fn what_is_exact_is_exact() {
    for root in 1..256_i32 {
        for octaves in [-42, -7, 0, 1, 34] {
            let (cube, root) = (f64::from(root.pow(3)) * 8_f64.powi(octaves), f64::from(root) * 2_f64.powi(octaves));
            assert_eq!(Function::Cbrt.value(&[cube as f32]), root as f32);
            assert_eq!(Function::Cbrt.value(&[-cube as f32]), -root as f32);
        }
    }
    for exponent in -149..128 {
        let power = 2_f64.powi(exponent) as f32;
        assert_eq!(Function::Powf.value(&[2.0, exponent as f32]), power);
        assert_eq!(Function::Powf.value(&[power, 1.0]), power);
        assert_eq!(Function::Powf.value(&[0.5, -exponent as f32]), power);
    }
    assert_eq!(Function::Exp.value(&[0.0]), 1.0);
    assert_eq!(Function::Ln.value(&[1.0]).to_bits(), 0);
    assert_eq!(Function::Tanh.value(&[f32::from_bits(1)]), f32::from_bits(1));
}
