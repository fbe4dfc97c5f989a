//! `optirs_gpu::occupancy` against CUDA: the runtime on a Hopper GPU, and NVIDIA's occupancy calculator for all architectures.
//!
//! The fixtures are made by the programs beside them in `tests/fixtures/`, which name their commands.

use optirs_gpu::occupancy::{
    KernelResourceUsage, OccupancyLimiter, SmResourceLimits, calculate_occupancy, optimal_block_size,
};

/// The lines of a fixture below its header, split at commas.
fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines().filter(|line| !line.starts_with('#')).skip(1).map(|line| line.split(',').collect())
}

fn number(field: &str) -> u32 {
    field.parse().unwrap_or_else(|_| panic!("`{field}` is no number"))
}

fn limits(compute_capability: &str) -> SmResourceLimits {
    let (major, minor) = compute_capability.split_once('.').unwrap();
    SmResourceLimits::from_compute_capability((number(major), number(minor))).unwrap()
}

#[test]
fn a_hopper_gpu_agrees() {
    let fixture = include_str!("../fixtures/occupancy_sm90.csv");
    assert!(fixture.starts_with("# device: NVIDIA H200, compute capability 9.0\n"));
    let (mut points, mut kernels) = (0, std::collections::BTreeSet::new());
    for row in rows(fixture) {
        let [registers, shared, threads, blocks] = row[..] else { panic!("{row:?}") };
        let usage = KernelResourceUsage::new(number(registers), number(shared) as usize, number(threads));
        let result = calculate_occupancy(&usage, &SmResourceLimits::sm_90()).unwrap();
        assert_eq!(result.active_blocks_per_sm, number(blocks), "{row:?}");
        points += 1;
        kernels.insert(usage.registers_per_thread);
    }
    assert_eq!((points, kernels.len()), (6529, 17));
}

#[test]
fn every_architecture_agrees_with_the_occupancy_calculator() {
    let (mut points, mut unlaunchable) = (0, 0);
    for row in rows(include_str!("../fixtures/occupancy_architectures.csv")) {
        let [architecture, registers, shared, threads, blocks, limiters] = row[..] else { panic!("{row:?}") };
        let usage = KernelResourceUsage::new(number(registers), number(shared) as usize, number(threads));
        let result = calculate_occupancy(&usage, &limits(architecture)).unwrap();
        assert_eq!(result.active_blocks_per_sm, number(blocks), "{row:?}");
        let limiter = match result.limiter {
            OccupancyLimiter::Warps => 'W',
            OccupancyLimiter::Registers => 'R',
            OccupancyLimiter::SharedMemory => 'S',
            OccupancyLimiter::BlocksPerSm => 'B',
            OccupancyLimiter::ThreadsPerBlock => {
                assert!(usage.threads_per_block > 1024);
                'W'
            }
        };
        assert!(limiters.contains(limiter), "{limiter} is not a limit of {row:?}");
        points += 1;
        unlaunchable += u32::from(number(blocks) == 0);
    }
    assert_eq!(points, 9 * 400);
    assert!((500..1000).contains(&unlaunchable), "{unlaunchable} kernels that cannot run");
}

#[test]
fn block_sizes_are_those_of_the_occupancy_calculator() {
    let mut points = 0;
    for row in rows(include_str!("../fixtures/optimal_block_sizes.csv")) {
        let [architecture, registers, per_thread, per_block, threads] = row[..] else { panic!("{row:?}") };
        let shared = |threads: u32| (number(per_thread) * threads + number(per_block)) as usize;
        let (best, _) = optimal_block_size(number(registers), shared, &limits(architecture)).unwrap();
        assert_eq!(best, number(threads), "{row:?}");
        points += 1;
    }
    assert_eq!(points, 9 * 60);
}
