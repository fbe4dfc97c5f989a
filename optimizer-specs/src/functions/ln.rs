//! ln x = e·ln 2 + ln m, where x = 2^e · m and m lies in √½ ≤ m < √2.

use super::builder::{Builder, INFINITY, MAGNITUDE, NAN, OCTAVE, SIGN, normalized};
use super::sequence::{Kind, Sequence};

/// (ln(1 + s) − s + s²/2) / s³ for √½ − 1 ≤ s < √2 − 1, least greatest error, 2.9e-8.
const SERIES: [f32; 9] = [
    0.333_333_3,
    -0.249_999_97,
    0.200_007_16,
    -0.166_678_03,
    0.142_490_58,
    -0.124_256_87,
    0.116_854_2,
    -0.114_797_34,
    0.069_716_12,
];
/// The bits of √½.
const LEAST: i32 = 0x3f35_04f3;
/// ln 2 to 16 digits: its products with exponents are exact.
const LN_2: f32 = f32::from_bits(core::f32::consts::LN_2.to_bits() & 0xffff_ff00);
/// The rest of ln 2.
const LN_2_REST: f32 = (core::f64::consts::LN_2 - LN_2 as f64) as f32;

/// The natural logarithm.
pub(super) fn sequence() -> Sequence {
    let b = Builder::default();
    let x = b.argument("x", Kind::Real);
    let bits = x.to_bits().named("bits");
    let magnitude = (bits & MAGNITUDE).named("magnitude");
    let (scaled, shift) = normalized(magnitude, "x = 2^exponent * (1 + s). A subnormal x is its bits times 2^-149.");
    let octave = ((scaled - LEAST) >> 23_u32).named("octave");
    let exponent = (octave - shift).to_real().named("exponent");
    // The first has a digit to spare; of the second, which is small beside the result, one does not count.
    let s = ((scaled - octave * OCTAVE).to_word().as_real() - 1.0).settled().named("s");

    let series = b.polynomial(s, &SERIES, &["high", "middle", "series"]);
    let square = (s * s).named("squared");
    let correction = (square * (s * series - 0.5) + exponent * LN_2_REST).settled().named("correction");
    let value = (exponent * LN_2 + (s + correction)).to_bits().named("value");

    let not_negative = bits.greater(INFINITY).choose(NAN, bits.equals(INFINITY).choose(INFINITY, value));
    let result = magnitude.equals(0_u32).choose(INFINITY | SIGN, not_negative.named("elsewhere"));
    b.finish("The natural logarithm.", result.as_real())
}
