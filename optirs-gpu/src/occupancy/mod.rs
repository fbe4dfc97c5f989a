//! How many blocks of a kernel one multiprocessor of an NVIDIA GPU holds at a time, and what keeps it from holding more.
//!
//! Guarantees the answer of `cudaOccupancyMaxActiveBlocksPerMultiprocessor` for a kernel that may use as much shared memory
//! as the device has (the carveout at its most, the limit of dynamic shared memory raised), on compute capabilities
//! 7.0, 7.5, 8.0, 8.6, 8.7, 8.9, 9.0, 10.0 and 12.0. A kernel that cannot be launched has 0 blocks, and a limiter that says
//! why.
//!
//! Registers are given to warps in units of 256, from a quarter of the register file that each of four partitions has;
//! shared memory to blocks in units of 256 bytes, and from 8.0 on in units of 128 bytes, where a block also takes 1 KiB for
//! the system. Then
//!
//! ```text
//! warps     = ⌈threads / 32⌉                                        of a block
//! registers = ⌈32 · registers per thread / 256⌉ · 256               of a warp
//! shared    = ⌈(shared memory + reserved) / unit⌉ · unit            of a block
//! blocks    = min(⌊warps per SM / warps⌋, ⌊4 · ⌊registers per partition / registers⌋ / warps⌋,
//!                 ⌊shared memory per SM / shared⌋, blocks per SM)
//! occupancy = blocks · warps / warps per SM
//! ```
//!
//! Sources: CUDA C++ Programming Guide 13.1, "Compute Capabilities" (table "Technical Specifications per Compute
//! Capability"); CUDA's occupancy calculator, `cuda_occupancy.h` of CUDA 13.1, for units and partitions. Its check
//! of a block's registers, for whole partitions, is in the formula: no block passes the one and fails the other.
//!
//! ```
//! use optirs_gpu::occupancy::{KernelResourceUsage, OccupancyLimiter, SmResourceLimits, calculate_occupancy};
//!
//! // 40 registers a thread, no shared memory, 256 threads a block, on an H100.
//! let usage = KernelResourceUsage::new(40, 0, 256);
//! let result = calculate_occupancy(&usage, &SmResourceLimits::sm_90())?;
//! assert_eq!((result.active_blocks_per_sm, result.active_warps_per_sm), (6, 48));
//! assert_eq!((result.occupancy, result.limiter), (0.75, OccupancyLimiter::Registers));
//! # Ok::<(), optirs_gpu::GpuOptimError>(())
//! ```

mod limits;

use crate::GpuOptimError;
use crate::backends::LaunchConfig;

pub use limits::SmResourceLimits;

/// What a kernel takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelResourceUsage {
    /// 32-bit registers of a thread, as the compiler reports them (`cuobjdump -res-usage`).
    pub registers_per_thread: u32,
    /// Bytes of shared memory of a block, static and dynamic together.
    pub shared_mem_per_block_bytes: usize,
    /// Threads of a block.
    pub threads_per_block: u32,
}

impl KernelResourceUsage {
    /// From the three numbers.
    #[must_use]
    pub const fn new(registers_per_thread: u32, shared_mem_per_block_bytes: usize, threads_per_block: u32) -> Self {
        Self { registers_per_thread, shared_mem_per_block_bytes, threads_per_block }
    }
}

/// What keeps a multiprocessor from holding more blocks. Where several do, it is the first in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OccupancyLimiter {
    /// Warps per multiprocessor, which threads per multiprocessor amount to.
    Warps,
    /// Registers. With no block at all: those of one thread or one block are more than there can be.
    Registers,
    /// Shared memory. With no block at all: that of one block is more than there can be.
    SharedMemory,
    /// Blocks per multiprocessor.
    BlocksPerSm,
    /// A block has more threads than a block can have, so there is none.
    ThreadsPerBlock,
}

/// How full a multiprocessor is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OccupancyResult {
    /// Warps that it holds.
    pub active_warps_per_sm: u32,
    /// Blocks that it holds.
    pub active_blocks_per_sm: u32,
    /// Warps that it can hold at most.
    pub max_warps_per_sm: u32,
    /// The first over the last, in 0 ..= 1.
    pub occupancy: f64,
    /// Why it is not more.
    pub limiter: OccupancyLimiter,
}

/// The occupancy of a kernel.
///
/// # Errors
/// [`GpuOptimError::OutOfRange`] for a block without threads, or for limits of 0 where something is divided by them.
pub fn calculate_occupancy(
    usage: &KernelResourceUsage,
    limits: &SmResourceLimits,
) -> Result<OccupancyResult, GpuOptimError> {
    positive("threads_per_block", usage.threads_per_block)?;
    positive("warp_size", limits.warp_size)?;
    positive("register_alloc_granularity", limits.register_alloc_granularity)?;
    positive("max_warps_per_sm", limits.max_warps_per_sm)?;

    let warps = usage.threads_per_block.div_ceil(limits.warp_size);
    let by_resource = if usage.threads_per_block > limits.max_threads_per_block {
        vec![(0, OccupancyLimiter::ThreadsPerBlock)]
    } else {
        // Limits that a caller changes may allow fewer threads than warps.
        let warps_per_sm = limits.max_warps_per_sm.min(limits.max_threads_per_sm / limits.warp_size);
        vec![
            (warps_per_sm / warps, OccupancyLimiter::Warps),
            (limits.blocks_by_registers(usage.registers_per_thread, warps), OccupancyLimiter::Registers),
            (limits.blocks_by_shared_memory(usage.shared_mem_per_block_bytes), OccupancyLimiter::SharedMemory),
            (limits.max_blocks_per_sm, OccupancyLimiter::BlocksPerSm),
        ]
    };
    // The first of equal ones.
    let least = by_resource.into_iter().min_by_key(|(blocks, _)| *blocks);
    let (blocks, limiter) = least.unwrap_or((0, OccupancyLimiter::ThreadsPerBlock));
    // No more than `max_warps_per_sm`: the first of the limits is among those that were compared.
    let active_warps_per_sm = blocks * warps;
    Ok(OccupancyResult {
        active_warps_per_sm,
        active_blocks_per_sm: blocks,
        max_warps_per_sm: limits.max_warps_per_sm,
        occupancy: f64::from(active_warps_per_sm) / f64::from(limits.max_warps_per_sm),
        limiter,
    })
}

/// The block size of whole warps with which most threads fit on a multiprocessor, the largest of them as
/// `cudaOccupancyMaxPotentialBlockSize` takes it, and its occupancy. `shared_mem_per_block` gives the bytes of shared memory
/// of a block from its threads.
///
/// # Errors
/// [`GpuOptimError::OutOfRange`] if the kernel runs with no block size, or as [`calculate_occupancy`].
pub fn optimal_block_size<F>(
    registers_per_thread: u32,
    shared_mem_per_block: F,
    limits: &SmResourceLimits,
) -> Result<(u32, OccupancyResult), GpuOptimError>
where
    F: Fn(u32) -> usize,
{
    positive("warp_size", limits.warp_size)?;
    let mut best: Option<(u32, OccupancyResult)> = None;
    for warps in (1..=limits.max_threads_per_block / limits.warp_size).rev() {
        let threads = warps * limits.warp_size;
        let usage = KernelResourceUsage::new(registers_per_thread, shared_mem_per_block(threads), threads);
        let result = calculate_occupancy(&usage, limits)?;
        if result.active_warps_per_sm > best.map_or(0, |(_, result)| result.active_warps_per_sm) {
            best = Some((threads, result));
        }
    }
    best.ok_or_else(|| {
        let (field, value) = match limits.blocks_by_registers(registers_per_thread, 1) {
            0 => ("registers_per_thread", f64::from(registers_per_thread)),
            _ => ("shared_mem_per_block", shared_mem_per_block(limits.warp_size) as f64),
        };
        GpuOptimError::OutOfRange { field, value, range: "what one block of some size can have" }
    })
}

/// The occupancy of a launch of a kernel with so many registers.
///
/// # Errors
/// [`GpuOptimError::OutOfRange`] for a block without threads, or with more than 32 bits can count, or as
/// [`calculate_occupancy`].
pub fn occupancy_for_launch(
    config: &LaunchConfig,
    registers_per_thread: u32,
    limits: &SmResourceLimits,
) -> Result<OccupancyResult, GpuOptimError> {
    let threads = config.threads_per_block().unwrap_or(u64::MAX);
    let threads_per_block = u32::try_from(threads).map_err(|_| GpuOptimError::OutOfRange {
        field: "block_size",
        value: threads as f64,
        range: "..=u32::MAX",
    })?;
    calculate_occupancy(
        &KernelResourceUsage::new(registers_per_thread, config.shared_memory_size, threads_per_block),
        limits,
    )
}

fn positive(field: &'static str, value: u32) -> Result<(), GpuOptimError> {
    if value > 0 { Ok(()) } else { Err(GpuOptimError::OutOfRange { field, value: f64::from(value), range: "1.." }) }
}

#[cfg(test)]
mod tests;
