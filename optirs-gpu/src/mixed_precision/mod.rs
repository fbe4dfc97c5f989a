//! Training in 16 bits: binary16 and bfloat16 as bits, and the loss scale that keeps small gradients from underflowing
//! there.
//!
//! Conversions round to nearest, ties to even, as IEEE 754 has it, subnormal numbers included, and keep what fits of a
//! NaN's payload; [`DynamicLossScaler`] moves as `torch.amp.GradScaler` does, within limits. Both are on the host.
//!
//! ```
//! use optirs_gpu::mixed_precision::{F16_MAX, f16_bits_to_f32, f32_to_f16_bits, saturate_to_f16_range};
//! use optirs_gpu::{DynamicLossScaler, MixedPrecisionConfig};
//!
//! let gradient = 1e-9f32; // below the smallest binary16, 2⁻²⁴
//! assert_eq!(f32_to_f16_bits(gradient), 0);
//!
//! let mut scaler = DynamicLossScaler::new(MixedPrecisionConfig::default());
//! let bits = f32_to_f16_bits(gradient * scaler.scale()); // what a backward pass over the scaled loss leaves
//! let mut unscaled = [f16_bits_to_f32(bits)];
//! assert!(!scaler.unscale_and_check(&mut unscaled));
//! assert!((unscaled[0] / gradient - 1.0).abs() < 1e-3);
//!
//! assert_eq!(f16_bits_to_f32(f32_to_f16_bits(1e5)), f32::INFINITY);
//! assert_eq!(saturate_to_f16_range(1e5), F16_MAX);
//! ```

mod conversion;
mod loss_scale;

pub use conversion::{
    F16_MAX, bf16_bits_slice_to_f32, bf16_bits_to_f32, f16_bits_slice_to_f32, f16_bits_to_f32, f32_slice_to_bf16_bits,
    f32_slice_to_f16_bits, f32_to_bf16_bits, f32_to_f16_bits, saturate_to_f16_range,
};
pub use loss_scale::{DynamicLossScaler, MixedPrecisionConfig, OverflowStats};
