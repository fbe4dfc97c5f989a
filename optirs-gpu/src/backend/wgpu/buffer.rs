//! Buffers: those that we allocate, and those of others that are bound in place.

use core::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Weak;

use super::WgpuBackend;
use super::bind::{BindGroups, storage};
use crate::GpuOptimError;
use crate::backend::{AnyDebug, Buffer, Counted};

/// The handle behind a [`Buffer`].
#[derive(Debug)]
pub(super) struct WgpuBuffer {
    /// Where its words are.
    pub raw: wgpu::Buffer,
    /// Its identity in bind groups. Never used twice on a device.
    pub id: u64,
    /// Bind groups hold on to buffers: they are forgotten with it.
    pub groups: Weak<BindGroups>,
    /// None for a buffer of others.
    pub _counted: Option<Counted>,
}

impl AnyDebug for WgpuBuffer {
    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Drop for WgpuBuffer {
    fn drop(&mut self) {
        if let Some(groups) = self.groups.upgrade() {
            groups.forget(self.id);
        }
    }
}

impl WgpuBackend {
    /// A buffer of others, to be bound in place. It must be of this device and usable as `STORAGE`; reads and writes of its
    /// words need `COPY_SRC` and `COPY_DST`. `what` names it in errors.
    ///
    /// wgpu does not say whose a buffer is, but checks it where one is bound: so it is bound here, for nothing. A buffer of
    /// another instance is a number that wgpu looks up among its own: it panics where it has none of that number, and
    /// where it has one, nothing tells the two apart.
    pub fn wrap(&self, raw: wgpu::Buffer, what: &str) -> Result<Buffer, GpuOptimError> {
        if !raw.usage().contains(wgpu::BufferUsages::STORAGE) {
            return Err(GpuOptimError::UnsupportedOperation(format!(
                "{what} must have the usage STORAGE; it has {:?}",
                raw.usage()
            )));
        }
        let unfit = |said: &str| {
            GpuOptimError::InvalidState(format!(
                "{what} cannot be bound: give one that was made on the set's own `wgpu::Device` and is not destroyed: {said}"
            ))
        };
        match self.health.scoped(|| catch_unwind(AssertUnwindSafe(|| group_of(&self.device, &raw)))) {
            Ok(Ok(_)) => Ok(self.buffer(raw, None)),
            Ok(Err(_)) => Err(unfit("it is of another `wgpu::Instance`")),
            Err(GpuOptimError::Device(said)) => Err(unfit(&said)),
            Err(other) => Err(other),
        }
    }
}

/// A bind group of a buffer's first vector.
fn group_of(device: &wgpu::Device, buffer: &wgpu::Buffer) -> wgpu::BindGroup {
    let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("optirs probe"),
        entries: &[storage(0, false)],
    });
    let resource =
        wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer, offset: 0, size: wgpu::BufferSize::new(16) });
    device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("optirs probe"),
        layout: &layout,
        entries: &[wgpu::BindGroupEntry { binding: 0, resource }],
    })
}

/// The handle of a buffer of this device. wgpu panics on buffers of another instance, so they are told apart here.
pub(super) fn handle<'a>(buffer: &'a Buffer, groups: &Weak<BindGroups>) -> Result<&'a WgpuBuffer, GpuOptimError> {
    match buffer.handle.as_any().downcast_ref::<WgpuBuffer>() {
        Some(handle) if Weak::ptr_eq(&handle.groups, groups) => Ok(handle),
        _ => Err(GpuOptimError::InvalidState("the buffer belongs to another device".to_owned())),
    }
}
