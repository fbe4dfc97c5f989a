//! What a multiprocessor has, by compute capability.

use crate::GpuOptimError;
use crate::backends::DeviceCapabilities;

/// The register file lies in so many partitions; a warp belongs to one of them.
const PARTITIONS: u32 = 4;
/// The most registers that an instruction can name.
const MAX_REGISTERS_PER_THREAD: u32 = 255;

/// What one streaming multiprocessor has to give to blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SmResourceLimits {
    /// Major and minor. The unit in which shared memory is given out, and what the system takes of it, follow from it.
    pub compute_capability: (u32, u32),
    /// Threads of a warp.
    pub warp_size: u32,
    /// Threads of the largest block.
    pub max_threads_per_block: u32,
    /// Threads of all blocks together.
    pub max_threads_per_sm: u32,
    /// Warps of all blocks together.
    pub max_warps_per_sm: u32,
    /// Blocks.
    pub max_blocks_per_sm: u32,
    /// 32-bit registers, in four partitions of equal size; one block may have all of them.
    pub registers_per_sm: u32,
    /// Registers are given to a warp in multiples of this.
    pub register_alloc_granularity: u32,
    /// Bytes of shared memory, with the carveout at its most; one block may have all but what the system takes of it.
    pub shared_mem_per_sm_bytes: usize,
}

impl SmResourceLimits {
    /// What differs between compute capabilities; the rest is the same for all of them.
    const fn table(compute_capability: (u32, u32), warps: u32, blocks: u32, shared_kibibytes: usize) -> Self {
        Self {
            compute_capability,
            warp_size: 32,
            max_threads_per_block: 1024,
            max_threads_per_sm: warps * 32,
            max_warps_per_sm: warps,
            max_blocks_per_sm: blocks,
            registers_per_sm: 65_536,
            register_alloc_granularity: 256,
            shared_mem_per_sm_bytes: shared_kibibytes * 1024,
        }
    }

    /// Volta: V100.
    #[must_use]
    pub const fn sm_70() -> Self {
        Self::table((7, 0), 64, 32, 96)
    }

    /// Turing: T4, RTX 20.
    #[must_use]
    pub const fn sm_75() -> Self {
        Self::table((7, 5), 32, 16, 64)
    }

    /// Ampere: A100.
    #[must_use]
    pub const fn sm_80() -> Self {
        Self::table((8, 0), 64, 32, 164)
    }

    /// Ampere: A10, A40, RTX 30.
    #[must_use]
    pub const fn sm_86() -> Self {
        Self::table((8, 6), 48, 16, 100)
    }

    /// Ampere: Jetson Orin.
    #[must_use]
    pub const fn sm_87() -> Self {
        Self::table((8, 7), 48, 16, 164)
    }

    /// Ada: L4, L40, RTX 40.
    #[must_use]
    pub const fn sm_89() -> Self {
        Self::table((8, 9), 48, 24, 100)
    }

    /// Hopper: H100, H200.
    #[must_use]
    pub const fn sm_90() -> Self {
        Self::table((9, 0), 64, 32, 228)
    }

    /// Blackwell: B100, B200.
    #[must_use]
    pub const fn sm_100() -> Self {
        Self::table((10, 0), 64, 32, 228)
    }

    /// Blackwell: RTX 50, RTX PRO.
    #[must_use]
    pub const fn sm_120() -> Self {
        Self::table((12, 0), 48, 24, 100)
    }

    /// The compute capabilities that are known, in ascending order.
    pub const KNOWN: [Self; 9] = [
        Self::sm_70(),
        Self::sm_75(),
        Self::sm_80(),
        Self::sm_86(),
        Self::sm_87(),
        Self::sm_89(),
        Self::sm_90(),
        Self::sm_100(),
        Self::sm_120(),
    ];

    /// By number, (9, 0) for sm_90.
    ///
    /// # Errors
    /// [`GpuOptimError::UnsupportedOperation`] for one that is not among [`SmResourceLimits::KNOWN`]: the limits of a
    /// neighbour are not taken in its place.
    pub fn from_compute_capability(compute_capability: (u32, u32)) -> Result<Self, GpuOptimError> {
        Self::KNOWN.into_iter().find(|limits| limits.compute_capability == compute_capability).ok_or_else(|| {
            let name = |(major, minor): (u32, u32)| format!("{major}.{minor}");
            let known: Vec<String> = Self::KNOWN.iter().map(|limits| name(limits.compute_capability)).collect();
            GpuOptimError::UnsupportedOperation(format!(
                "the limits of compute capability {} are not known; those of {} are",
                name(compute_capability),
                known.join(", ")
            ))
        })
    }

    /// Those of a device by its compute capability, with the device's own limit of threads per block. Of shared memory they
    /// are the architecture's, which a kernel has to opt in to: a device reports what a block has without it.
    ///
    /// # Errors
    /// As [`SmResourceLimits::from_compute_capability`], so also for a device that is not NVIDIA's.
    pub fn from_device_capabilities(capabilities: &DeviceCapabilities) -> Result<Self, GpuOptimError> {
        let limits = Self::from_compute_capability(capabilities.compute_capability)?;
        Ok(Self { max_threads_per_block: capabilities.max_threads_per_block, ..limits })
    }

    /// Blocks of so many warps that the registers suffice for.
    pub(super) fn blocks_by_registers(&self, registers_per_thread: u32, warps: u32) -> u32 {
        if registers_per_thread == 0 {
            return u32::MAX;
        }
        let unit = u64::from(self.register_alloc_granularity);
        let per_warp = (u64::from(registers_per_thread) * u64::from(self.warp_size)).next_multiple_of(unit);
        if registers_per_thread > MAX_REGISTERS_PER_THREAD {
            return 0;
        }
        let warps_per_partition = u64::from(self.registers_per_sm / PARTITIONS) / per_warp;
        u32::try_from(warps_per_partition * u64::from(PARTITIONS) / u64::from(warps)).unwrap_or(u32::MAX)
    }

    /// Blocks that the shared memory suffices for.
    pub(super) fn blocks_by_shared_memory(&self, bytes: usize) -> u32 {
        let (unit, reserved) = if self.compute_capability.0 >= 8 { (128, 1024) } else { (256, 0) };
        let taken = bytes.checked_add(reserved).and_then(|bytes| bytes.checked_next_multiple_of(unit));
        match taken {
            Some(0) => u32::MAX,
            Some(taken) => u32::try_from(self.shared_mem_per_sm_bytes / taken).unwrap_or(u32::MAX),
            None => 0,
        }
    }
}
