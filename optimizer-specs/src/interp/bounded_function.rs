//! How far an element function of a WGSL implementation may be from the f32 interpreter's: within
//! [`Function::MOST_ULPS`] of the exact value of an argument that is itself off.
//!
//! A function rises or falls with each argument wherever it may be off, so that the exact values lie between those at the
//! ends. What may be subnormal may be 0.

use super::bounded::{Bounded, SMALLEST_NORMAL, ulp};
use super::number::Number;
use crate::functions::Function;

/// From here on no rounding leads back to what is finite.
const OVERFLOW: f64 = 1.0001 * f32::MAX as f64;

/// The function of arguments that may be off.
pub(super) fn apply(function: Function, arguments: &[Bounded]) -> Bounded {
    let values: Vec<f32> = arguments.iter().map(|argument| argument.value).collect();
    let value = f32::function(function, &values);
    let ends: Vec<[f64; 3]> =
        arguments.iter().enumerate().map(|(place, argument)| ends(*argument, function.is_of_positive(place))).collect();
    let is_exact =
        |(argument, [low, _, high]): (&Bounded, &[f64; 3])| argument.bound == 0.0 && (low == high || low.is_nan());
    if arguments.iter().zip(&ends).all(is_exact) {
        let exact = function.reference(&ends.iter().map(|ends| ends[0]).collect::<Vec<_>>());
        // What is infinite, NaN or 0 without rounding is found in the bits of the arguments.
        if !exact.is_finite() || exact == 0.0 {
            return Bounded::exact(value);
        }
    }
    // A negative number has a power only if the exponent is whole.
    let may_be_nan = matches!(&ends[..], [base, exponent] if base[0] < 0.0 && exponent[0] != exponent[2]);
    let exact: Vec<f64> = corners(&ends).iter().map(|corner| function.reference(corner)).collect();
    // Functions make their infinities as bits, so that one that is no matter of rounding is the same everywhere.
    if !may_be_nan && value.is_infinite() && exact.iter().all(|exact| exact * f64::from(value.signum()) > OVERFLOW) {
        return Bounded::exact(value);
    }
    if may_be_nan || !value.is_finite() || exact.iter().any(|exact| !exact.is_finite()) {
        return Bounded::within(value, f64::INFINITY);
    }
    let apart = exact.iter().map(|exact| (exact - f64::from(value)).abs()).fold(0.0, f64::max);
    let greatest = exact.iter().map(|exact| exact.abs()).fold(0.0, f64::max);
    Bounded::new(value, apart + Function::MOST_ULPS * ulp(greatest))
}

/// The least and the greatest that an argument may be, and between them 0 if it lies there.
fn ends(argument: Bounded, is_of_positive: bool) -> [f64; 3] {
    let value = f64::from(argument.value);
    let (mut low, mut high) = (value - argument.bound, value + argument.bound);
    if value != 0.0 && value.abs() - argument.bound < SMALLEST_NORMAL {
        (low, high) = (low.min(0.0), high.max(0.0));
    }
    // As with roots: a rule keeps it from becoming negative, and rounding does not change that.
    let low = if is_of_positive && value >= 0.0 { low.max(0.0) } else { low };
    let middle = if low < 0.0 && high > 0.0 { 0.0 } else { low };
    [low, middle, high]
}

/// Every combination of ends.
fn corners(ends: &[[f64; 3]]) -> Vec<Vec<f64>> {
    ends.iter().fold(vec![Vec::new()], |corners, ends| {
        let with = |corner: &Vec<f64>, end: f64| corner.iter().copied().chain([end]).collect();
        corners.iter().flat_map(|corner| ends.map(|end| with(corner, end))).collect()
    })
}
