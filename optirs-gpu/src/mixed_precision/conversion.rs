//! f32 to and from binary16 and bfloat16, as bits.
//!
//! To 16 bits: the nearest value, of two as near the one whose last bit is 0; above the halfway point past the largest
//! finite value, infinity; signed zeros and subnormal numbers as themselves. A NaN stays a quiet NaN of its sign with the
//! upper bits of its payload. From 16 bits: exact, but for signaling NaNs, which become quiet.

use half::{bf16, f16, slice::HalfFloatSliceExt};

/// The largest finite binary16: (2 − 2⁻¹⁰)·2¹⁵.
pub const F16_MAX: f32 = 65504.0;

/// Rounds to IEEE 754 binary16: 1 bit of sign, 5 of exponent (bias 15), 10 of significand.
///
/// From 65520 on, halfway between [`F16_MAX`] and 2¹⁶, the result is infinite; up to 2⁻²⁵, half of the smallest
/// subnormal number, it is 0.
#[must_use]
pub fn f32_to_f16_bits(value: f32) -> u16 {
    f16::from_f32(value).to_bits()
}

/// The value of an IEEE 754 binary16.
#[must_use]
pub fn f16_bits_to_f32(bits: u16) -> f32 {
    f16::from_bits(bits).to_f32()
}

/// [`f32_to_f16_bits`] of each value; several at a time where the processor can.
#[must_use]
pub fn f32_slice_to_f16_bits(values: &[f32]) -> Vec<u16> {
    let mut rounded = vec![f16::ZERO; values.len()];
    rounded.convert_from_f32_slice(values);
    rounded.into_iter().map(f16::to_bits).collect()
}

/// [`f16_bits_to_f32`] of each value; several at a time where the processor can.
#[must_use]
pub fn f16_bits_slice_to_f32(bits: &[u16]) -> Vec<f32> {
    let halves: Vec<f16> = bits.iter().copied().map(f16::from_bits).collect();
    let mut values = vec![0.0; bits.len()];
    halves.convert_to_f32_slice(&mut values);
    values
}

/// Rounds to bfloat16: the upper half of an f32, with 7 bits of significand and the exponents of f32.
#[must_use]
pub fn f32_to_bf16_bits(value: f32) -> u16 {
    bf16::from_f32(value).to_bits()
}

/// The value of a bfloat16.
#[must_use]
pub fn bf16_bits_to_f32(bits: u16) -> f32 {
    bf16::from_bits(bits).to_f32()
}

/// [`f32_to_bf16_bits`] of each value.
#[must_use]
pub fn f32_slice_to_bf16_bits(values: &[f32]) -> Vec<u16> {
    values.iter().copied().map(f32_to_bf16_bits).collect()
}

/// [`bf16_bits_to_f32`] of each value.
#[must_use]
pub fn bf16_bits_slice_to_f32(bits: &[u16]) -> Vec<f32> {
    bits.iter().copied().map(bf16_bits_to_f32).collect()
}

/// The nearest value that binary16 does not round to infinity: ±[`F16_MAX`] for what is beyond, infinities included. NaN
/// stays NaN. A gradient that overflowed is no longer seen to have done so: look for overflows first.
#[must_use]
pub fn saturate_to_f16_range(value: f32) -> f32 {
    value.clamp(-F16_MAX, F16_MAX)
}

#[cfg(test)]
#[path = "conversion_tests.rs"]
mod tests;
