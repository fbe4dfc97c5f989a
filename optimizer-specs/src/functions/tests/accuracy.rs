//! How far the functions are from the exact value, as the CPU computes them and as WGSL may.
//!
//! `OPTIRS_FUNCTION_STRIDE=1` takes every f32 there is; the errors in `docs/numerics.md` are from such a run.

use super::distance;
use super::loose::{self, Dice};
use crate::functions::Function;

/// Every how many-th f32 is taken. The functions of two arguments are given as many pairs.
fn stride() -> usize {
    let asked = std::env::var("OPTIRS_FUNCTION_STRIDE").ok();
    asked.map_or(40_009, |stride| stride.parse().expect("OPTIRS_FUNCTION_STRIDE is a whole number of at least 1"))
}

/// The greatest distance, and of which arguments.
#[derive(Default)]
struct Worst {
    ulps: f64,
    arguments: Vec<f32>,
}

impl Worst {
    fn see(&mut self, value: u32, exact: f64, words: &[u32]) {
        let ulps = distance(f32::from_bits(value), exact);
        if ulps > self.ulps {
            *self = Self { ulps, arguments: words.iter().map(|&word| f32::from_bits(word)).collect() };
        }
    }
}

/// Checks a function of many arguments: as it is written, and with every liberty.
fn check(function: Function, most_ulps: f64, arguments: impl Iterator<Item = Vec<u32>>) {
    let (mut worst, mut loosest, mut dice) = (Worst::default(), Worst::default(), Dice(1));
    for words in arguments {
        let reals: Vec<f64> = words.iter().map(|&word| f32::from_bits(word).into()).collect();
        let exact = function.reference(&reals);
        worst.see(function.sequence().evaluate(&words), exact, &words);
        let value = loose::evaluate(function.sequence(), &words, &mut dice);
        let is_flushed = f32::from_bits(value) == 0.0 && exact.abs() < f32::MIN_POSITIVE.into();
        if !is_flushed {
            loosest.see(value, exact, &words);
        }
    }
    println!("{function:?}: {:.3} ulp at {:?}, ", worst.ulps, worst.arguments);
    println!("  with every liberty {:.3} ulp at {:?}", loosest.ulps, loosest.arguments);
    assert!(worst.ulps <= most_ulps, "{function:?}: {} ulp at {:?}", worst.ulps, worst.arguments);
    assert!(loosest.ulps <= Function::MOST_ULPS, "{function:?}: {} ulp at {:?}", loosest.ulps, loosest.arguments);
}

fn every_so_many() -> impl Iterator<Item = Vec<u32>> {
    (0..=u32::MAX).step_by(stride()).map(|word| vec![word])
}

#[test]
fn exponentials() {
    check(Function::Exp, 1.3, every_so_many());
}

#[test]
fn logarithms() {
    check(Function::Ln, 1.2, every_so_many());
}

#[test]
fn cube_roots() {
    check(Function::Cbrt, 0.6, every_so_many());
}

#[test]
fn hyperbolic_tangents() {
    check(Function::Tanh, 1.4, every_so_many());
}

/// A base of any size, and an exponent of any size or one that gives a result of any size.
fn pair(dice: &mut Dice) -> Vec<u32> {
    let base = f32::from_bits(dice.bits());
    let (base, exponent) = match dice.below(8) {
        0 => (base, f32::from_bits(dice.bits())),
        1 => (base, dice.below(41) as f32 - 20.0),
        // Near 1 exponents are large.
        2 => (1.0 + (dice.fraction() - 0.5) as f32 / (1_u64 << dice.below(24)) as f32, f32::NAN),
        _ => (base.abs(), f32::NAN),
    };
    let result = 300.0 * dice.fraction() - 152.0;
    let exponent = if exponent.is_nan() { (result / f64::from(base).abs().log2()) as f32 } else { exponent };
    vec![base.to_bits(), exponent.to_bits()]
}

#[test]
fn powers() {
    let mut dice = Dice(3);
    check(Function::Powf, 1.6, (0..=u32::MAX).step_by(stride()).map(|_| pair(&mut dice)));
}

#[test]
fn a_liberty_that_a_sequence_does_not_stand_shows() {
    use crate::functions::builder::Builder;
    use crate::functions::sequence::Kind;
    // ln near 1, with m − 1 left open to what is added later.
    let b = Builder::default();
    let x = b.argument("x", Kind::Real);
    let s = (x - 1.0).named("s");
    let open = b.finish("", s - s * s * 0.5);
    let settled = Builder::default();
    let x = settled.argument("x", Kind::Real);
    let s = (x - 1.0).settled().named("s");
    let kept = settled.finish("", s - s * s * 0.5);
    let mut dice = Dice(1);
    let x = 1.000_122_1_f32;
    let exact = f64::from(x).ln();
    let mut furthest = |sequence| {
        let values = (0..64).map(|_| loose::evaluate(sequence, &[x.to_bits()], &mut dice));
        values.map(|value| distance(f32::from_bits(value), exact)).fold(0.0, f64::max)
    };
    assert!(furthest(&open) > 100.0);
    assert!(furthest(&kept) < 2.0);
}
