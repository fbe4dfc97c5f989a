//! Gradients through a quantizer.

use scirs2_core::ndarray::{Array1, Zip};

use crate::GpuOptimError;
use crate::rule::check;

/// The straight-through estimator: the gradient of fake quantization with respect to its input, as if rounding were the
/// identity. It is `grad` where `qmin_real ≤ x ≤ qmax_real`, and 0 where x is clipped, so that it does not move; where x is
/// NaN, so is the gradient.
///
/// Bengio, Léonard & Courville, "Estimating or Propagating Gradients Through Stochastic Neurons", arXiv:1308.3432, 2013. The
/// bounds are [`QuantParams::real_min`](super::QuantParams::real_min) and `real_max`; torch, which compares integers, still
/// passes half a step beyond them.
///
/// # Errors
/// [`GpuOptimError::DimensionMismatch`] where `x` and `grad` differ in length; [`GpuOptimError::OutOfRange`] for a NaN bound
/// or a `qmax_real` below `qmin_real`.
pub fn fake_quant_backward(
    grad: &Array1<f64>,
    x: &Array1<f64>,
    qmin_real: f64,
    qmax_real: f64,
) -> Result<Array1<f64>, GpuOptimError> {
    if x.len() != grad.len() {
        return Err(GpuOptimError::DimensionMismatch { expected: vec![x.len()], actual: vec![grad.len()] });
    }
    check::real_f64("qmin_real", qmin_real, .., "..")?;
    check::real_f64("qmax_real", qmax_real, qmin_real.., "qmin_real..")?;
    Ok(Zip::from(grad).and(x).map_collect(|&grad, &x| {
        if x.is_nan() {
            x
        } else if (qmin_real..=qmax_real).contains(&x) {
            grad
        } else {
            0.0
        }
    }))
}
