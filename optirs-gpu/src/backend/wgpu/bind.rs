//! Bind groups, made once per kernel and set of slices: a training step binds the same ones as the step before. And how a
//! buffer is declared in their layouts.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// A slice as it is bound: buffer, first byte, bytes.
pub(super) type BoundSlice = (u64, u64, u64);

/// More than a training loop uses; reached where somebody binds other buffers in each step.
const MOST: usize = 1024;

/// The bind groups of one device.
#[derive(Debug, Default)]
pub(super) struct BindGroups {
    known: Mutex<HashMap<(u64, Vec<BoundSlice>), wgpu::BindGroup>>,
}

impl BindGroups {
    /// The bind group of a kernel over these slices; made if it is not known.
    pub fn get<E>(
        &self,
        kernel: u64,
        slices: Vec<BoundSlice>,
        make: impl FnOnce() -> Result<wgpu::BindGroup, E>,
    ) -> Result<wgpu::BindGroup, E> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (kernel, slices);
        if let Some(group) = known.get(&key) {
            return Ok(group.clone());
        }
        if known.len() >= MOST {
            known.clear();
        }
        let group = make()?;
        known.insert(key, group.clone());
        Ok(group)
    }

    /// Drops all groups with a buffer, and with them the last hold on its memory.
    pub fn forget(&self, buffer: u64) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|(_, slices), _| slices.iter().all(|&(id, ..)| id != buffer));
    }

    /// How many there are.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

/// A storage buffer as a compute shader binds it.
pub(super) fn storage(binding: u32, read_only: bool) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Storage { read_only },
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    }
}
