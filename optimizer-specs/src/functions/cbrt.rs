//! ∛x = 2^q · ∛m, where |x| = 8^q · m and 1 ≤ m < 8.

use super::builder::{Builder, INFINITY, MAGNITUDE, NAN, OCTAVE, SIGN, normalized};
use super::sequence::{Kind, Sequence};

/// ∛m for 1 ≤ m < 8, least greatest error, 0.0015.
const GUESS: [f32; 6] = [0.608_434_9, 0.488_812_34, -0.112_120_11, 0.018_251_657, -0.001_596_887_3, 5.655_255e-5];
/// (∛(1 + u) − 1) / u for |u| ≤ 0.022, least greatest error, 1.2e-7.
const SERIES: [f32; 3] = [0.333_333_33, -0.111_126_05, 0.061_739_35];
/// Half of the eighth binary digit of a real, and that digit with all before it.
const EIGHT_DIGITS: (u32, u32) = (0x8000, 0xffff_0000);
/// A multiple of 3 that makes the exponent of every real positive, and what comes of 0, too.
const LIFT: i32 = 276;

/// The cube root.
pub(super) fn sequence() -> Sequence {
    let b = Builder::default();
    let x = b.argument("x", Kind::Real);
    let bits = x.to_bits().named("bits");
    let magnitude = (bits & MAGNITUDE).named("magnitude");
    let (scaled, shift) = normalized(magnitude, "|x| = 8^(thirds - 92) * m. A subnormal x is its bits times 2^-149.");
    let biased = (scaled >> 23_u32).named("biased");
    let exponent = (biased - shift + (LIFT - 127)).named("exponent");
    let thirds = ((exponent * 683) >> 11_u32).noted("thirds", "A third of the exponent, rounded down.");
    let octaves = (exponent - thirds * 3).named("octaves");
    let m = (scaled + (octaves + 127 - biased) * OCTAVE).to_word().as_real().named("m");

    let high = b.polynomial(m, &GUESS, &["high", "guess"]);
    let near = ((high.to_bits() + EIGHT_DIGITS.0) & EIGHT_DIGITS.1)
        .as_real()
        .noted("near", "Of eight digits, so that its cube is exact, and equal to m where m has such a root.");
    let cube = (near * near * near).named("cube");
    let u = ((m - cube) / cube).named("u");
    let series = b.polynomial(u, &SERIES, &["series"]);
    let root = (near + near * (u * series)).to_bits().to_whole().named("root");
    let value = (root + (thirds - LIFT / 3) * OCTAVE).to_word().named("value");

    let unchanged = (magnitude.equals(0_u32) | magnitude.equals(INFINITY)).named("unchanged");
    let with_sign = unchanged.choose(bits, value | (bits & SIGN)).named("with_sign");
    b.finish("The cube root.", magnitude.greater(INFINITY).choose(NAN, with_sign).as_real())
}
