//! Quantization to integers: q = clamp(round(x / scale) + zero_point, qmin, qmax), and back: x̂ = (q − zero_point) · scale.

use rand::Rng;
use scirs2_core::ndarray::{Array1, Array2, Axis};

use super::RoundingMode;
use super::calibration::channel_count;
use crate::GpuOptimError;
use crate::rule::check;

/// Where the integers lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuantScheme {
    /// Around 0: the zero point is 0 and the lowest integer is left out, so that −x is represented exactly as well as x.
    Symmetric,
    /// Anywhere that includes 0, which is represented exactly.
    Affine,
}

/// An integer type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IntDtype {
    /// 8 bits.
    Int8,
    /// 4 bits.
    Int4,
}

impl IntDtype {
    /// Bits of the type.
    #[must_use]
    pub fn bits(self) -> u32 {
        match self {
            IntDtype::Int8 => 8,
            IntDtype::Int4 => 4,
        }
    }

    /// The type of 8 or of 4 bits.
    ///
    /// # Errors
    /// [`GpuOptimError::UnsupportedOperation`] for any other number.
    pub fn from_bits(bits: u32) -> Result<Self, GpuOptimError> {
        match bits {
            8 => Ok(IntDtype::Int8),
            4 => Ok(IntDtype::Int4),
            _ => Err(GpuOptimError::UnsupportedOperation(format!("integers of {bits} bits: take 8 or 4"))),
        }
    }

    /// The lowest and the highest integer: −127 and 127 or −7 and 7 symmetric, −128 and 127 or −8 and 7 affine.
    #[must_use]
    pub fn q_range(self, scheme: QuantScheme) -> (i32, i32) {
        let high = (1 << (self.bits() - 1)) - 1;
        match scheme {
            QuantScheme::Symmetric => (-high, high),
            QuantScheme::Affine => (-high - 1, high),
        }
    }
}

/// A grid of equally spaced reals: `(q − zero_point) · scale` for q in `qmin ..= qmax`.
///
/// The fields are taken as they are; [`QuantParams::validate`] says whether they make sense.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QuantParams {
    /// Spacing of the grid: above 0.
    pub scale: f64,
    /// The integer that stands for 0.
    pub zero_point: i32,
    /// The lowest integer.
    pub qmin: i32,
    /// The highest integer: at least `qmin`.
    pub qmax: i32,
}

impl QuantParams {
    /// Checks every field.
    ///
    /// # Errors
    /// [`GpuOptimError::OutOfRange`] names the field that is not in its range.
    pub fn validate(&self) -> Result<(), GpuOptimError> {
        check::real_f64("scale", self.scale, f64::MIN_POSITIVE.., "f64::MIN_POSITIVE..")?;
        let (qmin, qmax) = (f64::from(self.qmin), f64::from(self.qmax));
        check::real_f64("qmax", qmax, qmin.., "qmin..")?;
        check::real_f64("zero_point", f64::from(self.zero_point), qmin..=qmax, "qmin..=qmax")
    }

    /// The integer for a real: clamp(round(x / scale) + zero_point, qmin, qmax), torch's order of operations, divided in f64. What is beyond
    /// the range, infinities included, gets its end. There is no integer for NaN, which gets the zero point.
    pub fn quantize(&self, x: f64, mode: RoundingMode, rng: &mut impl Rng) -> i32 {
        let q = mode.integer(x / self.scale, rng) + f64::from(self.zero_point);
        if q.is_nan() { self.zero_point } else { q.max(f64::from(self.qmin)).min(f64::from(self.qmax)) as i32 }
    }

    /// The real for an integer: (q − zero_point) · scale.
    #[must_use]
    pub fn dequantize(&self, q: i32) -> f64 {
        (f64::from(q) - f64::from(self.zero_point)) * self.scale
    }

    /// Quantizes and goes back: a point of the grid. NaN stays NaN.
    pub fn fake_quant_scalar(&self, x: f64, mode: RoundingMode, rng: &mut impl Rng) -> f64 {
        let point = self.dequantize(self.quantize(x, mode, rng));
        if x.is_nan() { x } else { point }
    }

    /// The lowest point of the grid.
    #[must_use]
    pub fn real_min(&self) -> f64 {
        self.dequantize(self.qmin)
    }

    /// The highest point of the grid.
    #[must_use]
    pub fn real_max(&self) -> f64 {
        self.dequantize(self.qmax)
    }
}

/// [`QuantParams::fake_quant_scalar`] of each value.
pub fn fake_quant_int(x: &Array1<f64>, params: &QuantParams, mode: RoundingMode, rng: &mut impl Rng) -> Array1<f64> {
    x.mapv(|value| params.fake_quant_scalar(value, mode, rng))
}

/// [`QuantParams::fake_quant_scalar`] of each value, with parameters of its own for each index along `axis`. Random numbers
/// are drawn channel by channel.
///
/// # Errors
/// [`GpuOptimError::OutOfRange`] for an axis that is not 0 or 1, and for parameters that [`QuantParams::validate`] refuses;
/// [`GpuOptimError::DimensionMismatch`] where there are not as many parameters as channels.
pub fn fake_quant_int_per_channel(
    x: &Array2<f64>,
    params: &[QuantParams],
    axis: usize,
    mode: RoundingMode,
    rng: &mut impl Rng,
) -> Result<Array2<f64>, GpuOptimError> {
    let channels = channel_count(x.shape(), axis)?;
    if params.len() != channels {
        return Err(GpuOptimError::DimensionMismatch { expected: vec![channels], actual: vec![params.len()] });
    }
    params.iter().try_for_each(QuantParams::validate)?;
    let mut quantized = x.clone();
    for (mut channel, params) in quantized.axis_iter_mut(Axis(axis)).zip(params) {
        channel.mapv_inplace(|value| params.fake_quant_scalar(value, mode, rng));
    }
    Ok(quantized)
}
