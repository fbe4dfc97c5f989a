//! Devices as a user meets them: how they are chosen, shared, lost and late.

#[path = "device/adapters.rs"]
mod adapters;
#[path = "device/limits.rs"]
mod limits;
#[path = "device/lost.rs"]
mod lost;
#[path = "device/recovery.rs"]
mod recovery;
#[path = "device/shared.rs"]
mod shared;

use optirs_gpu::{Device, GpuAdam, GpuOptimError, ParamSet};
use scirs2_core::ndarray::Array1;

/// A set of one tensor `w` of ones, with a gradient of ones.
fn ones(device: &Device, len: usize) -> Result<ParamSet, GpuOptimError> {
    let ones = Array1::<f32>::ones(len);
    let mut params = ParamSet::new(device, [("w", ones.view())])?;
    params.write_grad("w", &ones)?;
    Ok(params)
}

/// Adam's first step from one along a gradient of one: 1 − 0.001.
fn after_one_step(device: &Device) -> f32 {
    let mut params = ones(device, 5).unwrap();
    let mut optimizer = GpuAdam::on(device, optirs_gpu::AdamParams::default()).unwrap();
    optimizer.step(&mut params).unwrap();
    params.read("w").unwrap()[[0]]
}
