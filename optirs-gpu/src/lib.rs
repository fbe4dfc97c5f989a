//! Optimizer update rules, written once and run at memory speed on any GPU.

extern crate self as optirs_gpu;

mod backend;
pub mod device;
mod error;
pub mod rule;
mod tables;

pub use device::{AdapterInfo, AdapterKind, Device, DeviceConfig, DeviceLimits, DeviceMemory, LimitsChoice};
pub use error::GpuOptimError;
