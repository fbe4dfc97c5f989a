//! The updates of the standard rules with their default hyper-parameters, in Metal Shading Language.

use crate::rules::{GpuAdagrad, GpuAdam, GpuAdamW, GpuLamb, GpuRmsprop, GpuSgd};

/// [`GpuAdam`]
pub const ADAM: &str = GpuAdam::MSL;
/// [`GpuAdamW`]
pub const ADAMW: &str = GpuAdamW::MSL;
/// [`GpuSgd`]
pub const SGD: &str = GpuSgd::MSL;
/// [`GpuRmsprop`]
pub const RMSPROP: &str = GpuRmsprop::MSL;
/// [`GpuAdagrad`]
pub const ADAGRAD: &str = GpuAdagrad::MSL;
/// [`GpuLamb`]
pub const LAMB: &str = GpuLamb::MSL;
