//! The updates of the standard rules with their default hyper-parameters, in WGSL.

use crate::rules::{GpuAdagrad, GpuAdam, GpuAdamW, GpuLamb, GpuRmsprop, GpuSgd};

/// [`GpuAdam`]
pub const ADAM: &str = GpuAdam::WGSL;
/// [`GpuAdamW`]
pub const ADAMW: &str = GpuAdamW::WGSL;
/// [`GpuSgd`]
pub const SGD: &str = GpuSgd::WGSL;
/// [`GpuRmsprop`]
pub const RMSPROP: &str = GpuRmsprop::WGSL;
/// [`GpuAdagrad`]
pub const ADAGRAD: &str = GpuAdagrad::WGSL;
/// [`GpuLamb`]
pub const LAMB: &str = GpuLamb::WGSL;
