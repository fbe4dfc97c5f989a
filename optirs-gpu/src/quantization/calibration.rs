//! Grids for given values: over their whole range, or with outliers clipped.

use scirs2_core::ndarray::{Array1, Array2, Axis};

use super::{IntDtype, QuantParams, QuantScheme};
use crate::GpuOptimError;
use crate::rule::check;

impl QuantParams {
    /// A grid over `min_v ..= max_v`, and over 0.
    ///
    /// Symmetric: scale = max(|min_v|, |max_v|) / qmax. Affine, of the range widened to include 0: scale = (max − min) /
    /// (qmax − qmin), zero_point = qmin − round(min / scale), as torch's `MinMaxObserver` has it. The scale of a range that
    /// is only 0 is 1.
    ///
    /// # Errors
    /// [`GpuOptimError::OutOfRange`] for a bound that is not finite, or a `max_v` below `min_v`.
    pub fn from_minmax(min_v: f64, max_v: f64, dtype: IntDtype, scheme: QuantScheme) -> Result<Self, GpuOptimError> {
        check::real_f64("min_v", min_v, .., "..")?;
        check::real_f64("max_v", max_v, min_v.., "min_v..")?;
        let (qmin, qmax) = dtype.q_range(scheme);
        match scheme {
            QuantScheme::Symmetric => Self::from_absmax(min_v.abs().max(max_v.abs()), dtype),
            QuantScheme::Affine => {
                let (low, high) = (min_v.min(0.0), max_v.max(0.0));
                let intervals = f64::from(qmax - qmin);
                // The difference of the bounds may overflow, that of their parts cannot.
                let scale = usable(high / intervals - low / intervals);
                let zero_point = f64::from(qmin) - (low / scale).round_ties_even();
                let zero_point = zero_point.clamp(f64::from(qmin), f64::from(qmax)) as i32;
                Ok(QuantParams { scale, zero_point, qmin, qmax })
            }
        }
    }

    /// The symmetric grid over `−absmax ..= absmax`: scale = absmax / qmax, or 1 for 0.
    ///
    /// # Errors
    /// [`GpuOptimError::OutOfRange`] unless `absmax` is finite and at least 0.
    pub fn from_absmax(absmax: f64, dtype: IntDtype) -> Result<Self, GpuOptimError> {
        check::real_f64("absmax", absmax, 0.0.., "0.0..")?;
        let (qmin, qmax) = dtype.q_range(QuantScheme::Symmetric);
        Ok(QuantParams { scale: usable(absmax / f64::from(qmax)), zero_point: 0, qmin, qmax })
    }

    /// [`QuantParams::from_minmax`] of the least and the greatest value.
    ///
    /// # Errors
    /// [`GpuOptimError::InvalidState`] for no values; [`GpuOptimError::OutOfRange`] for one that is not finite.
    pub fn per_tensor_minmax(x: &Array1<f64>, dtype: IntDtype, scheme: QuantScheme) -> Result<Self, GpuOptimError> {
        Self::over(x.iter().copied(), dtype, scheme)
    }

    /// [`QuantParams::from_absmax`] of the greatest magnitude.
    ///
    /// # Errors
    /// As [`QuantParams::per_tensor_minmax`].
    pub fn symmetric_from_absmax(x: &Array1<f64>, dtype: IntDtype) -> Result<Self, GpuOptimError> {
        Self::over(x.iter().copied(), dtype, QuantScheme::Symmetric)
    }

    /// A grid without outliers: of n values, the k = ⌊`clip_fraction` · n⌋ least and the k greatest are left out (affine), or
    /// the k greatest magnitudes (symmetric), and [`QuantParams::from_minmax`] takes the others. They are clipped when they
    /// are quantized.
    ///
    /// # Errors
    /// [`GpuOptimError::OutOfRange`] unless `clip_fraction` is in 0 .. 0.5; as [`QuantParams::per_tensor_minmax`].
    pub fn per_tensor_percentile(
        x: &Array1<f64>,
        dtype: IntDtype,
        scheme: QuantScheme,
        clip_fraction: f64,
    ) -> Result<Self, GpuOptimError> {
        check::real_f64("clip_fraction", clip_fraction, 0.0..0.5, "0.0..0.5")?;
        let mut sorted = match scheme {
            QuantScheme::Symmetric => x.mapv(f64::abs).to_vec(),
            QuantScheme::Affine => x.to_vec(),
        };
        // A NaN, at either end of this order, is refused also where it would be left out.
        Self::over(sorted.iter().copied(), dtype, scheme)?;
        sorted.sort_by(f64::total_cmp);
        let clipped = (clip_fraction * sorted.len() as f64) as usize;
        let (first, last) = match scheme {
            QuantScheme::Symmetric => (0, sorted.len() - clipped),
            QuantScheme::Affine => (clipped, sorted.len() - clipped),
        };
        Self::over(sorted.drain(first..last), dtype, scheme)
    }

    /// [`QuantParams::from_minmax`] of some values.
    pub(super) fn over(
        values: impl IntoIterator<Item = f64>,
        dtype: IntDtype,
        scheme: QuantScheme,
    ) -> Result<Self, GpuOptimError> {
        let mut range: Option<(f64, f64)> = None;
        for value in values {
            check::real_f64("x", value, .., "..")?;
            range = Some(range.map_or((value, value), |(low, high)| (low.min(value), high.max(value))));
        }
        let Some((low, high)) = range else {
            return Err(GpuOptimError::InvalidState(
                "there are no values to find a range of: pass at least one".into(),
            ));
        };
        Self::from_minmax(low, high, dtype, scheme)
    }
}

/// [`QuantParams::per_tensor_minmax`] of each channel: for each index along `axis`.
///
/// # Errors
/// [`GpuOptimError::OutOfRange`] for an axis that is not 0 or 1; as [`QuantParams::per_tensor_minmax`].
pub fn per_channel_params(
    x: &Array2<f64>,
    axis: usize,
    dtype: IntDtype,
    scheme: QuantScheme,
) -> Result<Vec<QuantParams>, GpuOptimError> {
    channel_count(x.shape(), axis)?;
    x.axis_iter(Axis(axis)).map(|channel| QuantParams::over(channel.iter().copied(), dtype, scheme)).collect()
}

/// How many channels there are along an axis.
pub(super) fn channel_count(shape: &[usize], axis: usize) -> Result<usize, GpuOptimError> {
    let missing = GpuOptimError::OutOfRange { field: "axis", value: axis as f64, range: "0..number of dimensions" };
    shape.get(axis).copied().ok_or(missing)
}

/// A scale that can be divided by: 1 where all values are 0, and never subnormal.
fn usable(scale: f64) -> f64 {
    if scale == 0.0 { 1.0 } else { scale.max(f64::MIN_POSITIVE) }
}

#[cfg(test)]
#[path = "calibration_tests.rs"]
mod tests;
