//! Devices that are not closed but kept, to be opened again: those of NVIDIA's own driver for Linux.
//!
//! That driver can deadlock where a device is closed while another thread that has used the driver ends. Seen with
//! version 580.159 on an H200, as threads opened a device each, used it, dropped it and ended: `vkDestroyDevice` owns a
//! mutex and joins a worker thread of the driver; the worker, ending, spins on a lock in the destructor of its
//! thread-specific data; the other thread, ending, holds that lock in the same destructor and waits for the mutex. All
//! three are the driver's own and have no time limit, and we cannot keep threads from ending. So nothing is closed there
//! before the process ends. A device that is kept has no buffers of ours.

use std::sync::{Mutex, PoisonError};

static KEPT: Mutex<Vec<(wgpu::Device, wgpu::Queue)>> = Mutex::new(Vec::new());

/// Whether devices of this adapter must not be closed.
pub(super) fn is_needed(adapter: &wgpu::AdapterInfo) -> bool {
    // Mesa's driver for the same GPUs calls itself NVK.
    cfg!(target_os = "linux") && adapter.backend == wgpu::Backend::Vulkan && adapter.driver == "NVIDIA"
}

/// Keeps an idle device that nobody of ours uses any more.
pub(super) fn keep(device: &wgpu::Device, queue: &wgpu::Queue) {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner).push((device.clone(), queue.clone()));
}

/// Keeps a lost device for good: nobody can use it, and it cannot be closed.
pub(super) fn abandon(device: &wgpu::Device, queue: &wgpu::Queue) {
    core::mem::forget((device.clone(), queue.clone()));
}

/// A kept device of this adapter with these limits, which is then kept no longer.
pub(super) fn take(adapter: &wgpu::AdapterInfo, limits: &wgpu::Limits) -> Option<(wgpu::Device, wgpu::Queue)> {
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let found = kept.iter().position(|(device, _)| device.adapter_info() == *adapter && device.limits() == *limits)?;
    Some(kept.swap_remove(found))
}
