//! Quantization: what weights and gradients become in 8 and in 4 bits, and training that knows of it.
//!
//! *Fake* quantization rounds to what a format can hold and stays in floating point, so that a model in training meets the
//! errors that it will have. [`QuantParams`] is a grid of integers times a scale, found from values ([`per_channel_params`]
//! and the constructors); [`Fp8Format`] has numbers of its own. To the nearest point it agrees with torch's fake
//! quantization of integers, but within rounding of a tie between two points: torch multiplies by a reciprocal in f32, this
//! divides in f64. With ml_dtypes' FP8 it agrees bit by bit, but that [`fake_quant_fp8`] saturates ([`Fp8Overflow`]). Stochastic
//! rounding is unbiased. [`fake_quant_backward`] is the gradient; [`QatOptimizer`] and [`Qat`] train.
//!
//! Nothing here runs on a GPU, but for the steps of [`Qat`].
//!
//! ```
//! use optirs_gpu::ndarray::array;
//! use optirs_gpu::rand::{SeedableRng, rngs::StdRng};
//! use optirs_gpu::{
//!     Fp8Format, IntDtype, QatConfig, QatOptimizer, QuantParams, QuantScheme, QuantTarget, RoundingMode, fake_quant_fp8,
//!     fake_quant_int,
//! };
//!
//! let mut rng = StdRng::seed_from_u64(7);
//! let x = array![-1.27, 0.004, 0.006, 1.0];
//! let grid = QuantParams::per_tensor_minmax(&x, IntDtype::Int8, QuantScheme::Symmetric)?;
//! assert_eq!(grid.scale, 0.01);
//! assert_eq!(fake_quant_int(&x, &grid, RoundingMode::Nearest, &mut rng), array![-1.27, 0.0, 0.01, 1.0]);
//!
//! let x = array![1.06, 1.07, 1e6];
//! let nearest = fake_quant_fp8(&x, Fp8Format::E4M3, RoundingMode::Nearest, &mut rng);
//! assert_eq!(nearest, array![1.0, 1.125, 448.0]);
//!
//! // Minimize Σ(w − target)² over weights of 8 bits.
//! let target = array![0.5, -1.0];
//! let mut master = array![0.0, 0.0];
//! let int8 = QuantTarget::Int(IntDtype::Int8);
//! let config = QatConfig::new(int8, QuantScheme::Symmetric, RoundingMode::Nearest, 0.05);
//! let mut optimizer = QatOptimizer::new(&master, config, &mut rng)?;
//! for _ in 0..200 {
//!     let gradient = 2.0 * (optimizer.quantized_weights() - &target);
//!     optimizer.step(&mut master, &gradient, &mut rng)?;
//! }
//! assert!((optimizer.quantized_weights() - &target).iter().all(|error| error.abs() < 0.02));
//! # Ok::<(), optirs_gpu::GpuOptimError>(())
//! ```

mod calibration;
mod fp8;
mod int;
mod qat;
mod rounding;
mod rule;
mod straight_through;
#[cfg(test)]
mod tests;

pub use calibration::per_channel_params;
pub use fp8::{E4M3_MAX_NORMAL, E5M2_MAX_NORMAL, Fp8Format, Fp8Overflow, fake_quant_fp8};
pub use int::{IntDtype, QuantParams, QuantScheme, fake_quant_int, fake_quant_int_per_channel};
pub use qat::{QatConfig, QatOptimizer};
pub use rounding::RoundingMode;
pub use rule::{Qat, WeightQuantization};
pub use straight_through::fake_quant_backward;

/// What weights are quantized to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuantTarget {
    /// Integers, on a grid over the weights' range.
    Int(IntDtype),
    /// Numbers of 8 bits, as they are.
    Fp8(Fp8Format),
}
