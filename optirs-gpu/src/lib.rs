//! Optimizer update rules, written once and run at memory speed on any GPU.

extern crate self as optirs_gpu;

mod backend;
pub mod device;
mod error;
mod optimizer;
pub mod optimizers;
mod params;
pub mod rule;
pub mod rules;
pub mod shaders;
mod tables;

pub use device::{AdapterInfo, AdapterKind, Device, DeviceConfig, DeviceLimits, DeviceMemory, LimitsChoice};
pub use error::GpuOptimError;
pub use optimizer::{GroupId, Optimizer};
pub use optimizers::{GpuOptimizer, GpuOptimizerConfig};
pub use optirs_gpu_macros::gpu_optimizer;
pub use params::ParamSet;
#[cfg(feature = "wgpu")]
pub use params::TensorBinding;
pub use rules::{
    AdagradParams, AdamParams, AdamWParams, GpuAdagrad, GpuAdam, GpuAdamW, GpuLamb, GpuRmsprop, GpuSgd, LambParams,
    RmspropParams, SgdParams,
};
/// The arrays that go in and out.
pub use scirs2_core::ndarray;
