//! 2^(whole + fraction), from which the exponentials are made.

use super::builder::{Builder, INFINITY, OCTAVE};
use super::sequence::{Kind, Sequence};

/// (2^f − 1) / f for |f| ≤ 0.66, least greatest error, 1.2e-9.
const SERIES: [f32; 7] = [
    core::f32::consts::LN_2,
    0.240_226_52,
    0.055_504_11,
    0.009_617_909,
    0.001_333_338_9,
    1.550_456_5e-4,
    1.533_050_6e-5,
];

const TWO_TO_MINUS_64: f32 = f32::from_bits((127 - 64) << 23);

/// For |fraction| ≤ 0.66 and −151 ≤ whole ≤ 128.
pub(super) fn sequence() -> Sequence {
    let b = Builder::default();
    let whole = b.argument("whole", Kind::Whole);
    let fraction = b.argument("fraction", Kind::Real);
    let series = b.polynomial(fraction, &SERIES, &["high", "series"]);
    let power = (fraction * series + 1.0).named("power");
    let is_small = whole
        .less(-125)
        .noted("is_small", "A result that may be subnormal is made 2^64 times larger, then scaled once.");
    let exponent = (whole + is_small.choose(64, 0)).named("exponent");
    let raised = (power.to_bits().to_whole() + exponent * OCTAVE).named("raised");
    let bounded = raised
        .greater(INFINITY as i32)
        .choose(INFINITY as i32, raised)
        .noted("bounded", "From 2^128 on it is infinite.");
    let result = bounded.to_word().as_real() * is_small.choose(TWO_TO_MINUS_64, 1.0);
    b.finish("2 to the power of a whole number plus a fraction.", result)
}
