//! The functions against the platform's, in f64: over all exponents, at the edges, and with every liberty that WGSL gives.

mod accuracy;
mod definitions;
mod edges;
pub mod loose;

use super::Function;

/// The functions of one argument that the language has.
const UNARY: [Function; 4] = [Function::Exp, Function::Ln, Function::Cbrt, Function::Tanh];

/// Distance from the exact value in units of its last place; infinite where only one of them is NaN.
fn distance(value: f32, exact: f64) -> f64 {
    if value.is_nan() || exact.is_nan() {
        return if value.is_nan() && exact.is_nan() { 0.0 } else { f64::INFINITY };
    }
    // What is infinite counts as the next power of two.
    let end = 2_f64.powi(128);
    let (value, exact) = (f64::from(value).clamp(-end, end), exact.clamp(-end, end));
    let exponent = ((exact.abs().to_bits() >> 52) as i32 - 1023).clamp(-126, 127);
    (value - exact).abs() / 2_f64.powi(exponent - 23)
}
