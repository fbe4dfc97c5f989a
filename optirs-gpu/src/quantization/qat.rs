//! Quantization-aware training of one array of weights, in f64, with AdamW.

use rand::Rng;
use scirs2_core::ndarray::{Array1, Zip};

use super::{QuantParams, QuantScheme, QuantTarget, RoundingMode, fake_quant_fp8, fake_quant_int};
use crate::GpuOptimError;
use crate::rule::check;

/// How a [`QatOptimizer`] quantizes and steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QatConfig {
    /// What weights are quantized to.
    pub target: QuantTarget,
    /// Where integers lie; FP8 has no use for it.
    pub scheme: QuantScheme,
    /// How weights are rounded.
    pub rounding: RoundingMode,
    /// Learning rate: at least 0.
    pub lr: f64,
    /// Decay of the first moment, in 0 .. 1.
    pub beta1: f64,
    /// Decay of the second moment, in 0 .. 1.
    pub beta2: f64,
    /// Added to the root of the second moment: at least 0.
    pub eps: f64,
    /// Decoupled weight decay, times the learning rate: at least 0.
    pub weight_decay: f64,
}

impl QatConfig {
    /// β₁ = 0.9, β₂ = 0.999, ε = 1e-8, no weight decay.
    #[must_use]
    pub fn new(target: QuantTarget, scheme: QuantScheme, rounding: RoundingMode, lr: f64) -> Self {
        Self { target, scheme, rounding, lr, beta1: 0.9, beta2: 0.999, eps: 1e-8, weight_decay: 0.0 }
    }

    /// Checks every hyper-parameter.
    ///
    /// # Errors
    /// [`GpuOptimError::OutOfRange`] names the field that is not in its range.
    pub fn validate(&self) -> Result<(), GpuOptimError> {
        check::real_f64("lr", self.lr, 0.0.., "0.0..")?;
        check::real_f64("beta1", self.beta1, 0.0..1.0, "0.0..1.0")?;
        check::real_f64("beta2", self.beta2, 0.0..1.0, "0.0..1.0")?;
        check::real_f64("eps", self.eps, 0.0.., "0.0..")?;
        check::real_f64("weight_decay", self.weight_decay, 0.0.., "0.0..")
    }
}

/// Trains quantized weights: the model runs on [`QatOptimizer::quantized_weights`], their gradient steps the master weights,
/// which are kept in full precision so that small updates add up, and those are quantized anew, with a grid of their own
/// after each step. The gradient goes straight through the quantizer; the grid covers all master weights, so none is clipped by more than
/// half of its spacing.
///
/// The step is AdamW's (Loshchilov & Hutter, "Decoupled Weight Decay Regularization", ICLR 2019):
/// m ← β₁m + (1 − β₁)g, v ← β₂v + (1 − β₂)g², w ← w − lr·λ·w − lr · m/(1 − β₁ᵗ) / (√(v/(1 − β₂ᵗ)) + ε).
/// [`Qat`](super::Qat) does the same with any rule, on any device.
#[derive(Debug, Clone)]
pub struct QatOptimizer {
    config: QatConfig,
    steps: u64,
    first_moment: Array1<f64>,
    second_moment: Array1<f64>,
    quantized: Array1<f64>,
    params: Option<QuantParams>,
}

impl QatOptimizer {
    /// Quantizes the master weights.
    ///
    /// # Errors
    /// What [`QatConfig::validate`] says; [`GpuOptimError::InvalidState`] for no weights; [`GpuOptimError::OutOfRange`] for
    /// one that is not finite.
    pub fn new(master: &Array1<f64>, config: QatConfig, rng: &mut impl Rng) -> Result<Self, GpuOptimError> {
        config.validate()?;
        let (quantized, params) = quantize(master, &config, rng)?;
        let zeros = Array1::zeros(master.len());
        Ok(Self { config, steps: 0, first_moment: zeros.clone(), second_moment: zeros, quantized, params })
    }

    /// The weights that the model runs on.
    #[must_use]
    pub fn quantized_weights(&self) -> &Array1<f64> {
        &self.quantized
    }

    /// Their grid; none for FP8, whose numbers stand for themselves.
    #[must_use]
    pub fn quant_params(&self) -> Option<&QuantParams> {
        self.params.as_ref()
    }

    /// Steps taken.
    #[must_use]
    pub fn step_count(&self) -> u64 {
        self.steps
    }

    /// Steps the master weights with the gradient at the quantized ones, and quantizes them.
    ///
    /// # Errors
    /// [`GpuOptimError::DimensionMismatch`] where the weights or the gradient have another length than at first;
    /// [`GpuOptimError::OutOfRange`] for a gradient, or a stepped weight, that is not finite. Nothing has been stepped then.
    pub fn step(
        &mut self,
        master: &mut Array1<f64>,
        grad: &Array1<f64>,
        rng: &mut impl Rng,
    ) -> Result<(), GpuOptimError> {
        for given in [master.len(), grad.len()] {
            if given != self.quantized.len() {
                return Err(GpuOptimError::DimensionMismatch {
                    expected: vec![self.quantized.len()],
                    actual: vec![given],
                });
            }
        }
        grad.iter().try_for_each(|value| check::real_f64("grad", *value, .., ".."))?;
        let QatConfig { lr, beta1, beta2, eps, weight_decay, .. } = self.config;
        let t = (self.steps + 1) as f64;
        let (correction1, correction2) = (1.0 - beta1.powf(t), 1.0 - beta2.powf(t));

        let mut first = self.first_moment.clone();
        Zip::from(&mut first).and(grad).for_each(|m, &g| *m = beta1 * *m + (1.0 - beta1) * g);
        let mut second = self.second_moment.clone();
        Zip::from(&mut second).and(grad).for_each(|v, &g| *v = beta2 * *v + (1.0 - beta2) * g * g);
        // The square of a finite gradient may not be.
        second.iter().try_for_each(|value| check::real_f64("grad", *value, .., "where its square is finite"))?;
        let mut stepped = master.clone();
        Zip::from(&mut stepped).and(&first).and(&second).for_each(|w, &m, &v| {
            let size = (v / correction2).sqrt() + eps;
            // With ε = 0, weights whose gradients were all 0 stay where they are.
            let direction = if m == 0.0 { 0.0 } else { m / correction1 / size };
            *w -= lr * weight_decay * *w + lr * direction;
        });

        (self.quantized, self.params) = quantize(&stepped, &self.config, rng)?;
        (*master, self.first_moment, self.second_moment) = (stepped, first, second);
        self.steps += 1;
        Ok(())
    }
}

fn quantize(
    master: &Array1<f64>,
    config: &QatConfig,
    rng: &mut impl Rng,
) -> Result<(Array1<f64>, Option<QuantParams>), GpuOptimError> {
    match config.target {
        QuantTarget::Int(dtype) => {
            let params = QuantParams::per_tensor_minmax(master, dtype, config.scheme)?;
            Ok((fake_quant_int(master, &params, config.rounding, rng), Some(params)))
        }
        QuantTarget::Fp8(format) => {
            master.iter().try_for_each(|value| check::real_f64("x", *value, .., ".."))?;
            Ok((fake_quant_fp8(master, format, config.rounding, rng), None))
        }
    }
}

#[cfg(test)]
#[path = "qat_tests.rs"]
mod tests;
