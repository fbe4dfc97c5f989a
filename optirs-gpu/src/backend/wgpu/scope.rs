//! Errors of wgpu as results. Without a scope around it, an error goes to the device's one handler, which panics unless
//! its owner has set another; on a device that was handed to us that handler is not ours to set. So every call that
//! can fail runs in [`scoped`], mostly through [`Health::scoped`](super::health::Health::scoped).

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::GpuOptimError;

/// Runs calls to wgpu; the first error that they raise is returned. A lost device raises none, see
/// [`Health`](super::health::Health).
///
/// wgpu panics where its driver has no memory for the commands of a write (wgpu-core 30, `PendingWrites::activate`). It
/// releases its locks then, but what it was about to do is half done: we take the device for lost. One that was handed in
/// stays its owner's, who may think otherwise.
pub(super) fn scoped<T>(device: &wgpu::Device, calls: impl FnOnce() -> T) -> Result<T, GpuOptimError> {
    let internal = device.push_error_scope(wgpu::ErrorFilter::Internal);
    let validation = device.push_error_scope(wgpu::ErrorFilter::Validation);
    let memory = device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
    let value = catch_unwind(AssertUnwindSafe(calls));
    // Scopes nest, so they are popped inside out. The futures are ready at once.
    let memory = pollster::block_on(memory.pop());
    let validation = pollster::block_on(validation.pop());
    let internal = pollster::block_on(internal.pop());
    let Ok(value) = value else {
        return Err(GpuOptimError::DeviceLost("wgpu panicked".to_owned()));
    };
    match memory.or(validation).or(internal) {
        None => Ok(value),
        Some(wgpu::Error::OutOfMemory { source }) => Err(GpuOptimError::OutOfMemory(source.to_string())),
        Some(error) => Err(GpuOptimError::Device(error.to_string())),
    }
}
