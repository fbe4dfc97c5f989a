//! The checks of hyper-parameters that generated `validate` functions consist of. Errors name the field, its value and
//! its range, or the message of the `#[require]`.

use core::ops::RangeBounds;

use super::math::decimal;
use crate::GpuOptimError;

/// A real hyper-parameter must be finite and in its range, compared as the decimal that was written.
pub fn real(
    field: &'static str,
    value: f32,
    range: impl RangeBounds<f64>,
    text: &'static str,
) -> Result<(), GpuOptimError> {
    real_f64(field, decimal(value), range, text)
}

/// What the host keeps in f64 must be finite and in its range.
pub(crate) fn real_f64(
    field: &'static str,
    value: f64,
    range: impl RangeBounds<f64>,
    text: &'static str,
) -> Result<(), GpuOptimError> {
    if value.is_finite() && range.contains(&value) {
        Ok(())
    } else {
        Err(GpuOptimError::OutOfRange { field, value, range: text })
    }
}

/// A whole hyper-parameter must be in its range.
pub fn whole(
    field: &'static str,
    value: u32,
    range: impl RangeBounds<f64>,
    text: &'static str,
) -> Result<(), GpuOptimError> {
    let value = f64::from(value);
    if range.contains(&value) { Ok(()) } else { Err(GpuOptimError::OutOfRange { field, value, range: text }) }
}

/// A `#[require]` must hold.
pub fn requirement(holds: bool, message: &'static str) -> Result<(), GpuOptimError> {
    if holds { Ok(()) } else { Err(GpuOptimError::Requirement(message.to_owned())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_real_is_checked_as_the_decimal_that_was_written() {
        assert!(real("x", 0.1, 0.1.., "0.1..").is_ok());
        assert!(real("x", 0.1, ..0.1, "..0.1").is_err());
        assert!(real("x", 0.0, 0.0.., "0.0..").is_ok());
        assert!(real("x", -0.0, 0.0.., "0.0..").is_ok());
        assert!(real("x", -1e30, .., "..").is_ok());
    }

    #[test]
    fn an_error_names_field_value_and_range() {
        let message = |value| real("beta1", value, 0.0..1.0, "0.0..1.0").unwrap_err().to_string();
        assert_eq!(message(1.0), "beta1 = 1 is out of range: it must be finite and in 0.0..1.0");
        assert_eq!(message(f32::NAN), "beta1 = NaN is out of range: it must be finite and in 0.0..1.0");
        assert_eq!(message(f32::INFINITY), "beta1 = inf is out of range: it must be finite and in 0.0..1.0");
        let anywhere = real("loss", f32::NAN, .., "..").unwrap_err().to_string();
        assert_eq!(anywhere, "loss = NaN is out of range: it must be finite");
        let large = real("loss", f32::MAX, ..1.0, "..1.0").unwrap_err().to_string();
        assert_eq!(large, "loss = 3.4028235e38 is out of range: it must be finite and in ..1.0");
        let not_finite = GpuOptimError::NotFinite { expression: "s * lr", value: 1e300, tensor: "w".to_owned() };
        assert_eq!(not_finite.to_string(), "`s * lr` is 1e300 for tensor `w`: it must be finite as f32");
        let whole = whole("reset", 0, 1.0.., "1..").unwrap_err().to_string();
        assert_eq!(whole, "reset = 0 is out of range: it must be finite and in 1..");
    }

    #[test]
    fn a_requirement_speaks_in_its_own_words() {
        assert!(requirement(true, "").is_ok());
        assert_eq!(requirement(false, "a must be b").unwrap_err().to_string(), "a must be b");
    }
}
