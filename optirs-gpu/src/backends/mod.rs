//! What kinds of GPU there are, what a device can do, and how a kernel is launched on it: for planning, without a device.
//!
//! Guarantees that nothing is invented: a GPU is found where the operating system lists one, and what is not known is not
//! filled in. Nothing here opens a device; [`crate::Device`] does.
//!
//! ```
//! use optirs_gpu::backends::{GRID_LIMIT_WGPU, GpuBackend, LaunchConfig, detected_backends};
//!
//! for backend in detected_backends()? {
//!     println!("this machine has a GPU for {backend}");
//! }
//! // 124 million elements, 256 threads a block: more blocks than one dimension of a WebGPU grid may have.
//! let launch = LaunchConfig::linear(124_439_808, 256, GRID_LIMIT_WGPU)?;
//! assert_eq!(launch.grid_size, (60_762, 8, 1));
//! # Ok::<(), optirs_gpu::backends::BackendError>(())
//! ```

mod launch;
mod pci;

use thiserror::Error;

pub use launch::{GRID_LIMIT_CUDA, GRID_LIMIT_WGPU, LaunchConfig};
pub use pci::{GpuVendor, PciGpu, gpus_in};

/// The programming interface of a GPU. [`device::GpuBackend`](crate::device::GpuBackend), which a device is chosen by, is
/// another type: scirs2-core's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GpuBackend {
    /// NVIDIA's.
    Cuda,
    /// AMD's.
    Rocm,
    /// Apple's.
    Metal,
    /// Vulkan, Metal or DX12, by way of wgpu.
    Wgpu,
    /// No GPU.
    Cpu,
}

impl Default for GpuBackend {
    /// Metal on macOS, else CUDA: a preference, which says nothing about what is there. [`detected_backends`] does.
    fn default() -> Self {
        #[cfg(target_os = "macos")]
        return Self::Metal;
        #[cfg(not(target_os = "macos"))]
        return Self::Cuda;
    }
}

impl core::fmt::Display for GpuBackend {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        formatter.write_str(match self {
            Self::Cuda => "CUDA",
            Self::Rocm => "ROCm",
            Self::Metal => "Metal",
            Self::Wgpu => "wgpu",
            Self::Cpu => "CPU",
        })
    }
}

/// Why something about a back end cannot be.
#[derive(Debug, Error)]
pub enum BackendError {
    /// There is no such GPU here.
    #[error("{backend} is not available on this machine")]
    NotAvailable {
        /// What was asked for.
        backend: GpuBackend,
    },
    /// What the operating system says about its devices cannot be read.
    #[error("cannot find out about GPUs: {reason}")]
    InitializationFailed {
        /// The file, and what is wrong with it.
        reason: String,
    },
    /// No device could do this.
    #[error("unsupported: {operation}")]
    UnsupportedOperation {
        /// What was asked for, and the limit that it breaks.
        operation: String,
    },
    /// An error in the words of the back end.
    #[error("{message}")]
    BackendSpecific {
        /// The back end's message.
        message: String,
    },
    /// A device failed.
    #[error("device {device_id} failed")]
    DeviceError {
        /// Which one.
        device_id: u32,
    },
}

/// What a device can do, as its driver or data sheet says: the caller fills it in.
#[derive(Debug, Clone)]
pub struct DeviceCapabilities {
    /// The device's name.
    pub name: String,
    /// Bytes of device memory.
    pub total_memory: usize,
    /// Bytes of it that are free.
    pub available_memory: usize,
    /// Whether it computes in binary16.
    pub supports_f16: bool,
    /// Whether it computes in bfloat16.
    pub supports_bf16: bool,
    /// Whether it has matrix units.
    pub supports_tensor_cores: bool,
    /// The largest block.
    pub max_threads_per_block: u32,
    /// Bytes of shared memory that one block may have.
    pub max_shared_memory_per_block: usize,
    /// Multiprocessors (AMD: compute units).
    pub multiprocessor_count: u32,
    /// CUDA's compute capability; (0, 0) on other devices.
    pub compute_capability: (u32, u32),
}

/// The back ends that this machine has GPUs for, each once, in the order CUDA, ROCm, wgpu: on Linux by the vendors of the
/// devices under `/sys/bus/pci/devices`, on macOS Metal, which every Mac has. Elsewhere nothing is looked at, nor found.
///
/// That a GPU is there does not say that its driver is: [`Device::new`](crate::Device::new) finds out.
///
/// # Errors
/// [`BackendError::InitializationFailed`] names the file that cannot be read.
pub fn detected_backends() -> Result<Vec<GpuBackend>, BackendError> {
    if cfg!(target_os = "macos") {
        return Ok(vec![GpuBackend::Metal]);
    }
    let devices = std::path::Path::new("/sys/bus/pci/devices");
    let unreadable = |error| BackendError::InitializationFailed { reason: format!("{}: {error}", devices.display()) };
    // A machine without the folder has no such bus.
    if !cfg!(target_os = "linux") || !devices.try_exists().map_err(unreadable)? {
        return Ok(Vec::new());
    }
    Ok(backends_of(&gpus_in(devices)?))
}

/// The back ends for these GPUs, each once, in the order of [`detected_backends`].
#[must_use]
pub fn backends_of(gpus: &[PciGpu]) -> Vec<GpuBackend> {
    let vendors = [GpuVendor::Nvidia, GpuVendor::Amd, GpuVendor::Intel];
    vendors.into_iter().filter(|&vendor| gpus.iter().any(|gpu| gpu.vendor == vendor)).map(GpuVendor::backend).collect()
}

#[cfg(test)]
mod tests;
