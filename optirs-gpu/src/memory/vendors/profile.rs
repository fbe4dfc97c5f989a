//! In what vendors differ, as far as a pool is concerned: what calls are named, and what they align to.

use crate::backends::GpuVendor;

/// Who can reach memory. In a [`MemoryPool`](super::MemoryPool) all of it is host memory; the kinds are kept apart so that
/// what would fail on a device fails here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MemoryKind {
    /// The device alone; the host copies to and from it.
    Device,
    /// The host, and the device over the bus.
    Host,
    /// Both: it moves to who uses it, or has a copy with each.
    Shared,
}

impl MemoryKind {
    /// Whether the host can use its bytes without a copy.
    #[must_use]
    pub const fn is_host_accessible(self) -> bool {
        match self {
            Self::Device => false,
            Self::Host | Self::Shared => true,
        }
    }
}

/// How a vendor's memory is asked for. It describes calls that a [`MemoryPool`](super::MemoryPool) stands for; the pool's
/// memory is the host's, and none of the calls is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VendorProfile {
    /// The programming interface.
    pub name: &'static str,
    /// Bytes that every buffer starts on a multiple of, counted from the start of its pool.
    pub alignment: u64,
    /// What makes memory of [`MemoryKind::Device`].
    pub device: &'static str,
    /// What makes memory of [`MemoryKind::Host`].
    pub host: &'static str,
    /// What makes memory of [`MemoryKind::Shared`].
    pub shared: &'static str,
    /// What a [`Stream`](super::Stream) stands for.
    pub stream: &'static str,
}

impl VendorProfile {
    /// NVIDIA's. Its allocations are aligned to at least 256 bytes (CUDA C++ Programming Guide, Device Memory Accesses).
    pub const CUDA: Self = Self {
        name: "CUDA",
        alignment: 256,
        device: "cudaMalloc",
        host: "cudaMallocHost",
        shared: "cudaMallocManaged",
        stream: "cudaStream_t",
    };

    /// AMD's. HIP documents no alignment; CUDA's is taken, which code that is written for both relies on.
    pub const ROCM: Self = Self {
        name: "ROCm",
        alignment: 256,
        device: "hipMalloc",
        host: "hipHostMalloc",
        shared: "hipMallocManaged",
        stream: "hipStream_t",
    };

    /// Intel's. 128 bytes are the longest type of OpenCL C, `long16`, which unified shared memory is aligned to by default
    /// (extension cl_intel_unified_shared_memory).
    pub const ONE_API: Self = Self {
        name: "oneAPI",
        alignment: 128,
        device: "sycl::malloc_device",
        host: "sycl::malloc_host",
        shared: "sycl::malloc_shared",
        stream: "sycl::queue with in_order",
    };

    /// Apple's. Offsets of buffers in the constant address space are multiples of 256 bytes on those GPUs that need most
    /// (Metal Feature Set Tables).
    pub const METAL: Self = Self {
        name: "Metal",
        alignment: 256,
        device: "MTLStorageModePrivate",
        host: "MTLStorageModeShared",
        shared: "MTLStorageModeManaged",
        stream: "MTLCommandQueue",
    };

    /// All of them.
    pub const ALL: [Self; 4] = [Self::CUDA, Self::ROCM, Self::ONE_API, Self::METAL];
}

/// The vendor's own interface.
impl From<GpuVendor> for VendorProfile {
    fn from(vendor: GpuVendor) -> Self {
        match vendor {
            GpuVendor::Nvidia => Self::CUDA,
            GpuVendor::Amd => Self::ROCM,
            GpuVendor::Intel => Self::ONE_API,
        }
    }
}
