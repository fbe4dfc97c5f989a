//! Buffers: those that we allocate, and those of others that are bound in place.

use core::any::Any;
use std::sync::Weak;

use super::bind::BindGroups;
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

/// The handle of a buffer of this device. wgpu panics on buffers of another instance, so they are told apart here.
pub(super) fn handle<'a>(buffer: &'a Buffer, groups: &Weak<BindGroups>) -> Result<&'a WgpuBuffer, GpuOptimError> {
    match buffer.handle.as_any().downcast_ref::<WgpuBuffer>() {
        Some(handle) if Weak::ptr_eq(&handle.groups, groups) => Ok(handle),
        _ => Err(GpuOptimError::InvalidState("the buffer belongs to another device".to_owned())),
    }
}
