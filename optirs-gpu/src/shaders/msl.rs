//! The updates of the standard rules with their default hyper-parameters, in Metal Shading Language.

use crate::programs::Accumulate;
use crate::rule::Rule;
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
/// The mean over ranks, of [`Accumulate`]: `mean += gradient · grad_scale` with a `grad_scale` of 1/ranks, for each rank but
/// the first, which the program's entry `assign` writes without adding.
pub const ALL_REDUCE_MEAN: &str = <Accumulate as Rule>::MSL;
/// [`GpuLamb`]
pub const LAMB: &str = GpuLamb::MSL;
