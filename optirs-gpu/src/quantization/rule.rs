//! Quantization-aware training with any rule, on any device.

use std::collections::BTreeMap;

use rand::Rng;
use scirs2_core::ndarray::{ArrayD, Axis};

use super::calibration::channel_count;
use super::{QuantParams, QuantScheme, QuantTarget, RoundingMode};
use crate::rule::{Rule, check};
use crate::{GpuOptimError, Optimizer, ParamSet};

/// How weights are quantized.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WeightQuantization {
    /// What they are quantized to.
    pub target: QuantTarget,
    /// Where integers lie; FP8 has no use for it.
    pub scheme: QuantScheme,
    /// How they are rounded.
    pub rounding: RoundingMode,
    /// For integers: the axis that has a grid for each index, usually that of a layer's outputs; one grid for the whole
    /// tensor without. FP8 has no grids and refuses an axis.
    pub channel_axis: Option<usize>,
}

/// A tensor's quantized weights.
#[derive(Debug, Clone)]
struct Quantized {
    weights: ArrayD<f32>,
    /// One, or one a channel; none for FP8.
    params: Vec<QuantParams>,
}

/// Trains weights that a model uses quantized, with the rule `R`: parameters of a [`ParamSet`] are the master weights in f32,
/// on the set's device, and the gradients written there are those at [`Qat::quantized_weights`], which are made anew, on the
/// host, after each step. Gradients go straight through the quantizer: its grid covers all weights, so none is clipped by
/// more than half of its spacing, but for FP8's beyond [`Fp8Format::max_normal`](super::Fp8Format::max_normal).
///
/// ```
/// use optirs_gpu::ndarray::arr2;
/// use optirs_gpu::quantization::{IntDtype, Qat, QuantScheme, QuantTarget, RoundingMode, WeightQuantization};
/// use optirs_gpu::rand::{SeedableRng, rngs::StdRng};
/// use optirs_gpu::{Device, GpuLion, LionParams, ParamSet};
///
/// let mut rng = StdRng::seed_from_u64(1);
/// let mut params = ParamSet::new(&Device::cpu(), [("w", arr2(&[[0.7f32, -0.2], [70.0, -35.0]]))])?;
/// let lion = GpuLion::on(params.device(), LionParams::default())?;
/// let int4 = WeightQuantization {
///     target: QuantTarget::Int(IntDtype::Int4),
///     scheme: QuantScheme::Symmetric,
///     rounding: RoundingMode::Nearest,
///     channel_axis: Some(0),
/// };
/// let mut training = Qat::new(lion, &params, int4, ["w"], &mut rng)?;
/// assert_eq!(training.quantized_weights("w")?[[1, 1]], -40.0); // in steps of 70 / 7; -3.5 goes to even
///
/// params.write_grad("w", &arr2(&[[0.1f32, 0.0], [0.0, 0.0]]))?; // of the loss at the quantized weights
/// training.step(&mut params, &mut rng)?;
/// assert!(params.read("w")?[[0, 0]] < 0.7);
/// # Ok::<(), optirs_gpu::GpuOptimError>(())
/// ```
#[derive(Debug)]
pub struct Qat<R: Rule> {
    optimizer: Optimizer<R>,
    quantization: WeightQuantization,
    tensors: BTreeMap<String, Quantized>,
}

impl<R: Rule> Qat<R> {
    /// Quantizes these tensors of a set; the optimizer steps the others as they are.
    ///
    /// # Errors
    /// [`GpuOptimError::UnknownTensor`]; [`GpuOptimError::DuplicateTensor`] for one that is named twice; otherwise as
    /// [`Qat::requantize`].
    pub fn new<N: Into<String>>(
        optimizer: Optimizer<R>,
        params: &ParamSet,
        quantization: WeightQuantization,
        tensors: impl IntoIterator<Item = N>,
        rng: &mut impl Rng,
    ) -> Result<Self, GpuOptimError> {
        let mut quantized = BTreeMap::new();
        for name in tensors.into_iter().map(Into::into) {
            let tensor = quantize(params, &name, quantization, rng)?;
            if quantized.insert(name.clone(), tensor).is_some() {
                return Err(GpuOptimError::DuplicateTensor(name));
            }
        }
        Ok(Self { optimizer, quantization, tensors: quantized })
    }

    /// Steps the set, waits for it, and quantizes the weights.
    ///
    /// # Errors
    /// What [`Optimizer::step`] says: nothing has been stepped then. What [`Qat::requantize`] says: the set has been stepped
    /// then, and that call makes up for what is missing.
    pub fn step(&mut self, params: &mut ParamSet, rng: &mut impl Rng) -> Result<(), GpuOptimError> {
        self.optimizer.step(params)?;
        self.requantize(params, rng)
    }

    /// Quantizes the master weights as they are now: after they were written, say.
    ///
    /// # Errors
    /// [`GpuOptimError::OutOfRange`] for a weight that is not finite, or a channel axis that the tensor does not have;
    /// [`GpuOptimError::UnsupportedOperation`] for a channel axis with FP8; [`GpuOptimError::InvalidState`] for a tensor
    /// without elements; what reading says. The quantized weights are those of before then.
    pub fn requantize(&mut self, params: &ParamSet, rng: &mut impl Rng) -> Result<(), GpuOptimError> {
        let mut made = BTreeMap::new();
        for name in self.tensors.keys() {
            made.insert(name.clone(), quantize(params, name, self.quantization, rng)?);
        }
        self.tensors = made;
        Ok(())
    }

    /// The weights that the model runs on.
    ///
    /// # Errors
    /// [`GpuOptimError::UnknownTensor`] for a tensor that is not quantized.
    pub fn quantized_weights(&self, tensor: &str) -> Result<&ArrayD<f32>, GpuOptimError> {
        Ok(&self.tensor(tensor)?.weights)
    }

    /// Their grid, or their channels' grids; none for FP8.
    ///
    /// # Errors
    /// As [`Qat::quantized_weights`].
    pub fn quant_params(&self, tensor: &str) -> Result<&[QuantParams], GpuOptimError> {
        Ok(&self.tensor(tensor)?.params)
    }

    /// The optimizer that steps the master weights.
    pub fn optimizer(&self) -> &Optimizer<R> {
        &self.optimizer
    }

    /// The optimizer, to change its hyper-parameters, groups, clipping or loss scale.
    pub fn optimizer_mut(&mut self) -> &mut Optimizer<R> {
        &mut self.optimizer
    }

    fn tensor(&self, name: &str) -> Result<&Quantized, GpuOptimError> {
        self.tensors.get(name).ok_or_else(|| GpuOptimError::UnknownTensor(name.to_owned()))
    }
}

fn quantize(
    params: &ParamSet,
    name: &str,
    quantization: WeightQuantization,
    rng: &mut impl Rng,
) -> Result<Quantized, GpuOptimError> {
    let WeightQuantization { target, scheme, rounding, channel_axis } = quantization;
    let mut weights = params.read(name)?;
    let mut grids = Vec::new();
    match (target, channel_axis) {
        (QuantTarget::Int(dtype), Some(axis)) => {
            channel_count(weights.shape(), axis)?;
            for mut channel in weights.axis_iter_mut(Axis(axis)) {
                let grid = QuantParams::over(channel.iter().copied().map(f64::from), dtype, scheme)?;
                channel.mapv_inplace(|weight| grid.fake_quant_scalar(f64::from(weight), rounding, rng) as f32);
                grids.push(grid);
            }
        }
        (QuantTarget::Int(dtype), None) => {
            let grid = QuantParams::over(weights.iter().copied().map(f64::from), dtype, scheme)?;
            weights.mapv_inplace(|weight| grid.fake_quant_scalar(f64::from(weight), rounding, rng) as f32);
            grids.push(grid);
        }
        (QuantTarget::Fp8(format), None) => {
            weights.iter().try_for_each(|weight| check::real_f64("x", f64::from(*weight), .., ".."))?;
            weights.mapv_inplace(|weight| format.fake_quant(f64::from(weight), rounding, rng) as f32);
        }
        (QuantTarget::Fp8(_), Some(axis)) => {
            return Err(GpuOptimError::UnsupportedOperation(format!(
                "`channel_axis: Some({axis})` with FP8, whose numbers stand for themselves: set it to None"
            )));
        }
    }
    Ok(Quantized { weights, params: grids })
}

#[cfg(test)]
#[path = "rule_tests.rs"]
mod tests;
