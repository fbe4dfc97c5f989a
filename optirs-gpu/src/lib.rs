//! Optimizer update rules, written once and run at memory speed on any GPU.

extern crate self as optirs_gpu;

mod backend;
mod error;
pub mod rule;
mod tables;

pub use error::GpuOptimError;
