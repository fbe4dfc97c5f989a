//! The arithmetic of generated host and CPU code that `core` does not define to the bit.
//!
//! Host values are f64 and i64, device values f32. Every function is total: nothing here panics, and nothing depends on
//! the platform's mathematical library.

use super::RowError;
pub use super::functions::{cbrt_of, exp_of, ln_of, powf_of, tanh_of};

/// The f64 nearest to the shortest decimal form of `x`: 0.999 for `0.999f32`.
///
/// Plain widening keeps the rounding error of the f32, which `1.0 - beta2` then magnifies to 1.3e-5.
pub fn decimal(x: f32) -> f64 {
    format!("{x:e}").parse().unwrap_or(f64::from(x))
}

/// `base` to a whole power, by square-and-multiply from the lowest bit; a negative power is the reciprocal.
///
/// `f64::powi` leaves the order of multiplications to the platform.
pub fn powi(base: f64, exponent: i64) -> f64 {
    let (mut square, mut rest, mut product) = (base, exponent.unsigned_abs(), 1.0);
    while rest != 0 {
        if rest & 1 == 1 {
            product *= square;
        }
        square *= square;
        rest >>= 1;
    }
    if exponent < 0 { 1.0 / product } else { product }
}

/// [`powi`] of a device value: the same order of operations, each rounded to f32.
pub fn powi_f32(base: f32, exponent: i32) -> f32 {
    let (mut square, mut rest, mut product) = (base, exponent.unsigned_abs(), 1.0);
    while rest != 0 {
        if rest & 1 == 1 {
            product *= square;
        }
        square *= square;
        rest >>= 1;
    }
    if exponent < 0 { 1.0 / product } else { product }
}

/// `if b < a { b } else { a }`, which says what becomes of a NaN and of -0.
#[inline]
pub fn min<T: PartialOrd>(a: T, b: T) -> T {
    if b < a { b } else { a }
}

/// `if a < b { b } else { a }`, see [`min`].
#[inline]
pub fn max<T: PartialOrd>(a: T, b: T) -> T {
    if a < b { b } else { a }
}

/// One of two values that are both there: a choice without a branch.
#[inline]
pub fn select<T>(condition: bool, then: T, otherwise: T) -> T {
    if condition { then } else { otherwise }
}

/// 1 above 0, -1 below 0, else +0: also for -0 and NaN.
pub fn sign(x: f64) -> f64 {
    f64::from(i8::from(x > 0.0) - i8::from(x < 0.0))
}

/// [`sign`] of a device value.
#[inline]
pub fn sign_f32(x: f32) -> f32 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else {
        0.0
    }
}

/// `a / b` towards zero, saturating; 0 where `b` is 0 (the language admits only divisors that are at least 1).
pub fn divide(a: i64, b: i64) -> i64 {
    if b == 0 { 0 } else { a.saturating_div(b) }
}

/// `a % b` with the sign of `a`; 0 where `b` is 0, see [`divide`].
pub fn remainder(a: i64, b: i64) -> i64 {
    a.checked_rem(b).unwrap_or(0)
}

/// A counter as a whole number of the host, saturating.
pub fn whole(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Number of elements of a tensor of this shape, saturating.
pub fn len(shape: &[usize]) -> i64 {
    whole(shape.iter().fold(1, |len: u64, &dim| len.saturating_mul(dim as u64)))
}

/// Length of a dimension; 1 for a dimension that the shape does not have, so that the product stays the length.
pub fn dim(shape: &[usize], index: usize) -> i64 {
    shape.get(index).map_or(1, |&dim| whole(dim as u64))
}

/// A real field of a row: rounded to f32 once, checked to be finite before and after.
pub fn to_f32(value: f64, expression: &'static str) -> Result<f32, RowError> {
    let rounded = value as f32;
    if rounded.is_finite() { Ok(rounded) } else { Err(RowError { expression, value }) }
}

/// A limit of the gradient: rounded to f32 once, infinite where there is none.
pub fn limit(value: f64) -> f32 {
    value as f32
}

/// A whole field of a row, which the device compares with a count.
pub fn to_u32(value: i64, expression: &'static str) -> Result<u32, RowError> {
    u32::try_from(value).map_err(|_| RowError { expression, value: value as f64 })
}

/// A whole field of a row, which the device uses as an exponent.
pub fn to_i32(value: i64, expression: &'static str) -> Result<i32, RowError> {
    i32::try_from(value).map_err(|_| RowError { expression, value: value as f64 })
}

/// A new value of a host state, checked to be finite.
pub fn finite(value: f64, expression: &'static str) -> Result<f64, RowError> {
    if value.is_finite() { Ok(value) } else { Err(RowError { expression, value }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hyper_parameter_is_the_decimal_that_was_written() {
        assert_eq!(decimal(0.999), 0.999);
        assert_eq!(decimal(1e-3), 1e-3);
        assert_eq!(decimal(-0.8), -0.8);
        assert_eq!(decimal(f32::MIN_POSITIVE), 1.1754944e-38);
        assert_eq!(decimal(f32::MAX), 3.4028235e38);
        assert_eq!(decimal(f32::from_bits(1)), 1e-45);
        assert!(decimal(-0.0).is_sign_negative());
        assert!(decimal(f32::NAN).is_nan());
        assert_eq!(decimal(f32::INFINITY), f64::INFINITY);
    }

    #[test]
    fn one_minus_beta2_keeps_its_bits() {
        assert_eq!(to_f32(1.0 - decimal(0.999), "1.0 - beta2").map(f32::to_bits), Ok(0x3a83_126f));
    }

    #[test]
    fn powers_multiply_from_the_lowest_bit() {
        let x = 0.9;
        assert_eq!(powi(x, 0), 1.0);
        assert_eq!(powi(x, 1), x);
        assert_eq!(powi(x, 5), x * ((x * x) * (x * x)));
        assert_eq!(powi(x, 6), (x * x) * ((x * x) * (x * x)));
        assert_eq!(powi(x, -3), 1.0 / (x * (x * x)));
        assert_eq!(powi(-1.0, i64::MAX), -1.0);
        assert_eq!(powi(0.5, i64::MAX), 0.0);
        let y = 0.9f32;
        assert_eq!(powi_f32(y, 7), (y * (y * y)) * ((y * y) * (y * y)));
        assert_eq!(powi_f32(y, -2), 1.0 / (y * y));
        assert_eq!(powi_f32(1.0, i32::MIN), 1.0);
    }

    #[test]
    fn extremes_keep_their_first_operand_beside_a_nan() {
        assert!(max(f64::NAN, 1.0).is_nan() && min(f64::NAN, 1.0).is_nan());
        assert_eq!((max(1.0, f64::NAN), min(1.0, f64::NAN)), (1.0, 1.0));
        assert!(max(-0.0_f64, 0.0).is_sign_negative() && min(0.0_f64, -0.0).is_sign_positive());
        assert_eq!((max(2, 3), min(2, 3)), (3, 2));
    }

    #[test]
    fn signs_of_zero_and_nan_are_plus_zero() {
        for x in [0.0, -0.0, f64::NAN] {
            assert_eq!(sign(x).to_bits(), 0);
            assert_eq!(sign_f32(x as f32).to_bits(), 0);
        }
        assert_eq!((sign(3.0), sign(-1e-300)), (1.0, -1.0));
        assert_eq!((sign_f32(1e-45), sign_f32(f32::NEG_INFINITY)), (1.0, -1.0));
    }

    #[test]
    fn whole_numbers_saturate() {
        assert_eq!(divide(-7, 2), -3);
        assert_eq!(remainder(-7, 2), -1);
        assert_eq!(divide(i64::MIN, -1), i64::MAX);
        assert_eq!(remainder(i64::MIN, -1), 0);
        assert_eq!((divide(1, 0), remainder(1, 0)), (0, 0));
        assert_eq!(whole(u64::MAX), i64::MAX);
        assert_eq!(len(&[3, 4]), 12);
        assert_eq!(len(&[]), 1);
        assert_eq!(len(&[usize::MAX, usize::MAX]), i64::MAX);
        assert_eq!((dim(&[3, 4], 1), dim(&[3, 4], 2)), (4, 1));
    }

    #[test]
    fn what_does_not_fit_names_its_expression() {
        assert_eq!(to_f32(1e39, "a"), Err(RowError { expression: "a", value: 1e39 }));
        assert_eq!(to_u32(-1, "b"), Err(RowError { expression: "b", value: -1.0 }));
        assert_eq!(to_i32(1 << 31, "c"), Err(RowError { expression: "c", value: 2147483648.0 }));
        assert_eq!(finite(f64::INFINITY, "d"), Err(RowError { expression: "d", value: f64::INFINITY }));
        assert_eq!((to_u32(7, ""), to_i32(-7, ""), finite(1e300, "")), (Ok(7), Ok(-7), Ok(1e300)));
    }
}
