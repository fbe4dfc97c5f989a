//! Tensors from the edges of f32: all finite, so that every implementation has something to say of them.

use super::random::Random;

/// A tensor of one kind, which is drawn.
pub fn tensor(random: &mut Random, len: usize) -> Vec<f32> {
    let kind = KINDS[random.below(KINDS.len() as u64) as usize];
    kind(random, len)
}

/// Makes as many numbers.
type Kind = fn(&mut Random, usize) -> Vec<f32>;

const KINDS: [Kind; 7] = [
    zeros,
    // Subnormal numbers, and those whose squares are.
    |random, len| magnitudes(random, len, -149..-60),
    |random, len| magnitudes(random, len, -20..20),
    // Their squares are still finite, sums of their squares may not be.
    |random, len| magnitudes(random, len, 40..64),
    |random, len| magnitudes(random, len, -149..128),
    cancelling,
    lonely,
];

/// Zeros of either sign.
fn zeros(random: &mut Random, len: usize) -> Vec<f32> {
    (0..len).map(|_| if random.once_in(2) { 0.0 } else { -0.0 }).collect()
}

/// Numbers of either sign, whose exponents of two are spread over a range.
fn magnitudes(random: &mut Random, len: usize, exponents: std::ops::Range<i32>) -> Vec<f32> {
    (0..len).map(|_| magnitude(random, exponents.clone())).collect()
}

fn magnitude(random: &mut Random, exponents: std::ops::Range<i32>) -> f32 {
    let exponent = exponents.start + random.below(exponents.len() as u64) as i32;
    let value = (1.0 + random.fraction()) * 2_f64.powi(exponent);
    let value = value.min(f64::from(f32::MAX)) as f32;
    if random.once_in(2) { value } else { -value }
}

/// One number, of either sign: sums of it cancel.
fn cancelling(random: &mut Random, len: usize) -> Vec<f32> {
    let value = magnitude(random, -20..20);
    (0..len).map(|_| if random.once_in(2) { value } else { -value }).collect()
}

/// Zeros but for one number.
fn lonely(random: &mut Random, len: usize) -> Vec<f32> {
    let mut values = vec![0.0; len];
    if let Some(value) = values.get_mut(random.below(len.max(1) as u64) as usize) {
        *value = magnitude(random, -149..128);
    }
    values
}
