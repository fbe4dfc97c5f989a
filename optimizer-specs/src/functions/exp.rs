//! e^x = 2^(x·log₂e).

use super::Function;
use super::builder::{Builder, INFINITY, MAGNITUDE, NAN, SIGN};
use super::sequence::{Kind, Sequence};

/// From here on the result is infinite.
const GREATEST: f32 = 89.0;
/// The magnitude from which on the result of a negative x is 0.
const LEAST: f32 = 104.0;
/// x is taken apart at multiples of 2⁻¹⁰.
const STEPS: f32 = 1024.0;
/// log₂e in units of 2⁻¹³, so that products with multiples of 2⁻¹⁰ are whole in units of 2⁻²³.
const TURNS: i32 = 11_819;
/// By how much TURNS is more than log₂e, for each step.
const EXCESS: f32 = ((TURNS as f64 / 8192.0 - core::f64::consts::LOG2_E) / STEPS as f64) as f32;

/// The exponential.
pub(super) fn sequence() -> Sequence {
    let b = Builder::default();
    let x = b.argument("x", Kind::Real);
    let magnitude = (x.to_bits() & MAGNITUDE).named("magnitude");
    let sign = (x.to_bits() & SIGN).named("sign");
    let limit = sign.equals(0_u32).choose(GREATEST.to_bits(), LEAST.to_bits());
    let limit = limit.noted("limit", "From here on the result is infinite or 0.");
    let bounded = magnitude.less(limit).choose(magnitude, limit).named("bounded");
    let clipped = (bounded | sign).as_real().named("clipped");

    let steps = (clipped * STEPS).to_whole().noted(
        "steps",
        "x * log2(e) as a whole number and a fraction: the multiple of 2^-10 in x exactly, the rest beside it.",
    );
    let rest = (clipped - steps.to_real() * (1.0 / STEPS)).named("rest");
    let turns = (steps * TURNS).named("turns");
    let whole = ((turns + (1 << 22)) >> 23_u32).named("whole");
    let exact = ((turns - whole * (1 << 23)).to_real() * (1.0 / (1 << 23) as f32)).named("exact");
    let fraction = (exact + (rest * core::f32::consts::LOG2_E - steps.to_real() * EXCESS)).named("fraction");
    let power = whole.call(Function::PowerOfTwo, Some(fraction));
    let value = power.to_bits().named("value");
    b.finish("e^x", magnitude.greater(INFINITY).choose(NAN, value).as_real())
}
