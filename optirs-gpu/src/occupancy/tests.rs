//! Limiters, ends of the ranges and errors; the counts themselves are held to CUDA's by `tests/tests/occupancy.rs`.

use super::*;
use crate::backends::{DeviceCapabilities, GRID_LIMIT_CUDA};

const SM_90: SmResourceLimits = SmResourceLimits::sm_90();

fn occupancy(registers: u32, shared: usize, threads: u32) -> (u32, OccupancyLimiter) {
    let result = calculate_occupancy(&KernelResourceUsage::new(registers, shared, threads), &SM_90).unwrap();
    assert_eq!(result.active_warps_per_sm, result.active_blocks_per_sm * threads.div_ceil(32));
    assert_eq!(result.occupancy, f64::from(result.active_warps_per_sm) / 64.0);
    (result.active_blocks_per_sm, result.limiter)
}

#[test]
fn each_resource_can_be_the_limit() {
    assert_eq!(occupancy(32, 0, 256), (8, OccupancyLimiter::Warps));
    assert_eq!(occupancy(64, 0, 256), (4, OccupancyLimiter::Registers));
    assert_eq!(occupancy(32, 76 * 1024 - 1024, 256), (3, OccupancyLimiter::SharedMemory));
    assert_eq!(occupancy(32, 0, 32), (32, OccupancyLimiter::BlocksPerSm));
}

#[test]
fn a_kernel_that_cannot_run_has_no_blocks_and_a_reason() {
    assert_eq!(occupancy(32, 0, 1025), (0, OccupancyLimiter::ThreadsPerBlock));
    assert_eq!(occupancy(32, 0, u32::MAX), (0, OccupancyLimiter::ThreadsPerBlock));
    assert_eq!(occupancy(256, 0, 32), (0, OccupancyLimiter::Registers));
    assert_eq!(occupancy(u32::MAX, 0, 32), (0, OccupancyLimiter::Registers));
    assert_eq!(occupancy(65, 0, 1024), (0, OccupancyLimiter::Registers));
    assert_eq!(occupancy(32, 227 * 1024, 32), (1, OccupancyLimiter::SharedMemory));
    assert_eq!(occupancy(32, 227 * 1024 + 1, 32), (0, OccupancyLimiter::SharedMemory));
    assert_eq!(occupancy(32, usize::MAX, 32), (0, OccupancyLimiter::SharedMemory));
}

#[test]
fn a_kernel_without_registers_or_shared_memory_is_limited_by_the_rest() {
    assert_eq!(occupancy(0, 0, 1024), (2, OccupancyLimiter::Warps));
    let volta = calculate_occupancy(&KernelResourceUsage::new(0, 0, 32), &SmResourceLimits::sm_70()).unwrap();
    assert_eq!((volta.active_blocks_per_sm, volta.limiter), (32, OccupancyLimiter::BlocksPerSm));
}

#[test]
fn nothing_is_divided_by_zero() {
    let error = |usage: KernelResourceUsage, limits| calculate_occupancy(&usage, &limits).unwrap_err().to_string();
    let usage = KernelResourceUsage::new(32, 0, 256);
    assert!(error(KernelResourceUsage::new(32, 0, 0), SM_90).starts_with("threads_per_block = 0 is out of range"));
    assert!(error(usage, SmResourceLimits { warp_size: 0, ..SM_90 }).starts_with("warp_size = 0"));
    let limits = SmResourceLimits { register_alloc_granularity: 0, ..SM_90 };
    assert!(error(usage, limits).starts_with("register_alloc_granularity = 0"));
    assert!(error(usage, SmResourceLimits { max_warps_per_sm: 0, ..SM_90 }).starts_with("max_warps_per_sm = 0"));
    assert!(optimal_block_size(32, |_| 0, &SmResourceLimits { warp_size: 0, ..SM_90 }).is_err());
}

#[test]
fn a_compute_capability_is_known_or_an_error() {
    for limits in SmResourceLimits::KNOWN {
        assert_eq!(SmResourceLimits::from_compute_capability(limits.compute_capability).unwrap(), limits);
        assert_eq!(limits.max_threads_per_sm, limits.max_warps_per_sm * limits.warp_size);
    }
    let error = SmResourceLimits::from_compute_capability((9, 9)).unwrap_err().to_string();
    assert!(error.contains("compute capability 9.9") && error.contains("8.9, 9.0, 10.0, 12.0"), "{error}");
}

#[test]
fn a_device_is_limited_as_it_says_itself() {
    let mut device = DeviceCapabilities {
        name: "H100".to_owned(),
        total_memory: 80 << 30,
        available_memory: 80 << 30,
        supports_f16: true,
        supports_bf16: true,
        supports_tensor_cores: true,
        max_threads_per_block: 512,
        max_shared_memory_per_block: 227 << 10,
        multiprocessor_count: 132,
        compute_capability: (9, 0),
    };
    let limits = SmResourceLimits::from_device_capabilities(&device).unwrap();
    assert_eq!(limits, SmResourceLimits { max_threads_per_block: 512, ..SM_90 });
    device.compute_capability = (0, 0);
    assert!(SmResourceLimits::from_device_capabilities(&device).is_err());
}

#[test]
fn the_best_block_size_may_not_exist() {
    let (threads, result) = optimal_block_size(32, |_| 0, &SM_90).unwrap();
    assert_eq!((threads, result.occupancy), (1024, 1.0));
    // 36 warps as four blocks of 9, three of 12, or two of 18, which is taken; no other number of blocks holds as many.
    let (threads, result) = optimal_block_size(32, |threads| 192 * threads as usize, &SM_90).unwrap();
    assert_eq!((threads, result.active_blocks_per_sm), (576, 2));
    let error = optimal_block_size(300, |_| 0, &SM_90).unwrap_err().to_string();
    assert!(error.contains("= 300 is out of range"), "{error}");
}

#[test]
fn a_launch_is_counted_by_all_its_dimensions() {
    let mut launch = LaunchConfig::linear(1 << 20, 256, GRID_LIMIT_CUDA).unwrap();
    launch.block_size = (16, 8, 2);
    launch.shared_memory_size = 75 * 1024;
    let expected = calculate_occupancy(&KernelResourceUsage::new(32, 75 * 1024, 256), &SM_90).unwrap();
    assert_eq!(occupancy_for_launch(&launch, 32, &SM_90).unwrap(), expected);
    launch.block_size = (1 << 16, 1 << 16, 1);
    let error = occupancy_for_launch(&launch, 32, &SM_90).unwrap_err().to_string();
    assert!(error.contains("block_size = 4.294967296e9"), "{error}");
}
