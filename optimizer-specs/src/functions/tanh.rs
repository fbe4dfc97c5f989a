//! tanh x: near 0 a series, farther out 1 − 2 / (e^2x + 1).

use super::Function;
use super::builder::{Builder, INFINITY, MAGNITUDE, NAN, SIGN};
use super::sequence::{Kind, Sequence};

/// (tanh(x) / x − 1) / x² as a series in x² for |x| < 1, least greatest error, 1.8e-9.
const SERIES: [f32; 8] = [
    -0.333_333_34,
    0.133_333_1,
    -0.053_963_415,
    0.021_829_55,
    -0.008_697_848,
    0.003_206_803_5,
    -9.235_009e-4,
    1.427_931_9e-4,
];
/// From here on the result is 1.
const WIDEST: f32 = 10.0;

/// The hyperbolic tangent.
pub(super) fn sequence() -> Sequence {
    let b = Builder::default();
    let x = b.argument("x", Kind::Real);
    let magnitude = (x.to_bits() & MAGNITUDE).named("magnitude");
    let size = magnitude.as_real().named("size");
    let square = (size * size).named("squared");
    let series = b.polynomial(square, &SERIES, &["high", "middle", "series"]);
    let near = (size + size * (square * series)).named("near");

    let bounded = magnitude.less(WIDEST.to_bits()).choose(magnitude, WIDEST.to_bits()).as_real();
    let power = (bounded * 2.0).call(Function::Exp, None).noted("power", "From 10 on the result is 1.");
    let far = (b.real(1.0) - b.real(2.0) / (power + 1.0)).named("far");

    let value = magnitude.less(1.0_f32.to_bits()).choose(near.to_bits(), far.to_bits()).named("value");
    let with_sign = value | (x.to_bits() & SIGN);
    b.finish("The hyperbolic tangent.", magnitude.greater(INFINITY).choose(NAN, with_sign).as_real())
}
