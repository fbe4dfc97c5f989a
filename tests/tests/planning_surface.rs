//! What callers of 0.3.2's planning modules name: every item, field and signature, as they stood.

use optirs_gpu::backends::{self, BackendError, DeviceCapabilities, LaunchConfig};
use optirs_gpu::occupancy::occupancy_for_launch;
use optirs_gpu::tensor_cores::{
    HardwareUtilizationState, MixedPrecisionTrainer, SparseTensorCoreMatrix, TensorCoreConfig, TensorCoreOptimizer,
    TensorCorePrecision,
};
use optirs_gpu::utils;
use optirs_gpu::{
    FusionGraph, FusionGroup, FusionOp, FusionPlan, FusionPlanner, GpuBackend, GpuOptimError, KernelResourceUsage,
    OccupancyLimiter, OccupancyResult, OpKind, SmResourceLimits, calculate_occupancy, optimal_block_size,
};

type Answer<T> = Result<T, GpuOptimError>;

#[test]
fn occupancy_has_its_names() {
    const USAGE: KernelResourceUsage = KernelResourceUsage::new(32, 0, 256);
    const LIMITS: [SmResourceLimits; 5] = [
        SmResourceLimits::sm_70(),
        SmResourceLimits::sm_75(),
        SmResourceLimits::sm_80(),
        SmResourceLimits::sm_86(),
        SmResourceLimits::sm_90(),
    ];
    let _: fn((u32, u32)) -> Answer<SmResourceLimits> = SmResourceLimits::from_compute_capability;
    let _: fn(&DeviceCapabilities) -> Answer<SmResourceLimits> = SmResourceLimits::from_device_capabilities;
    let _: fn(&KernelResourceUsage, &SmResourceLimits) -> Answer<OccupancyResult> = calculate_occupancy;
    type SharedMemory = fn(u32) -> usize;
    let _: fn(u32, SharedMemory, &SmResourceLimits) -> Answer<(u32, OccupancyResult)> = optimal_block_size;
    let _: fn(&LaunchConfig, u32, &SmResourceLimits) -> Answer<OccupancyResult> = occupancy_for_launch;
    let KernelResourceUsage { registers_per_thread: _, shared_mem_per_block_bytes: _, threads_per_block: _ } = USAGE;
    let made = SmResourceLimits {
        compute_capability: (9, 0),
        warp_size: 32,
        max_threads_per_block: 1024,
        max_threads_per_sm: 2048,
        max_warps_per_sm: 64,
        max_blocks_per_sm: 32,
        registers_per_sm: 65_536,
        register_alloc_granularity: 256,
        shared_mem_per_sm_bytes: 228 * 1024,
    };
    assert_eq!(made, LIMITS[4]);
    let OccupancyResult { active_warps_per_sm, active_blocks_per_sm, max_warps_per_sm, occupancy, limiter } =
        calculate_occupancy(&USAGE, &made).unwrap();
    assert_eq!((active_warps_per_sm, active_blocks_per_sm, max_warps_per_sm, occupancy), (64, 8, 64, 1.0));
    // No other limiter than these.
    match limiter {
        OccupancyLimiter::Warps => {}
        OccupancyLimiter::Registers
        | OccupancyLimiter::SharedMemory
        | OccupancyLimiter::BlocksPerSm
        | OccupancyLimiter::ThreadsPerBlock => panic!("{limiter:?}"),
    }
}

#[test]
fn kernel_fusion_has_its_names() {
    let kinds = [
        OpKind::Add,
        OpKind::Mul,
        OpKind::Sub,
        OpKind::Div,
        OpKind::Relu,
        OpKind::Sigmoid,
        OpKind::Tanh,
        OpKind::Scale,
        OpKind::Axpy,
        OpKind::MatMul,
        OpKind::Reduce,
        OpKind::Transpose,
    ];
    assert_eq!(kinds.map(|kind| kind.is_fusible()), core::array::from_fn(|place| place < 9));
    assert!(kinds.iter().all(|kind| kind.is_barrier() != kind.is_fusible()));
    let mut graph = FusionGraph::new();
    let first: usize = graph.add_op(OpKind::Mul, vec![], vec![10], 4);
    graph.add_op(OpKind::Add, vec![first], vec![10], 4);
    let op @ FusionOp { id: 1, .. } = &graph.ops()[1] else { panic!("{graph:?}") };
    let FusionOp { id: _, kind: _, inputs: _, output_shape: _, dtype_bytes: _ } = op;
    assert_eq!((op.output_elements().unwrap(), op.output_bytes().unwrap()), (10u64, 40u64));
    assert_eq!((graph.num_ops(), graph.is_empty(), graph.validate().is_ok()), (2, false, true));
    assert!(FusionGraph::default().is_empty());

    let plan = FusionPlanner::default().with_broadcast(true).plan(&graph).unwrap();
    let FusionPlan { groups, bytes_unfused, bytes_fused, bytes_saved, speedup_estimate } = plan.clone();
    assert_eq!((plan.num_groups(), bytes_unfused, bytes_fused, bytes_saved, speedup_estimate), (1, 120, 40, 80, 3.0));
    let FusionGroup { members, external_inputs, external_outputs, internal_intermediates, bytes_read, bytes_written } =
        groups[0].clone();
    assert_eq!((members, external_inputs, external_outputs), (vec![0, 1], vec![], vec![1]));
    assert_eq!((internal_intermediates, bytes_read, bytes_written), (vec![0], 0, 40));
    assert_eq!((groups[0].bytes_fused(), groups[0].is_fused()), (40, true));
}

#[test]
fn back_ends_and_utils_have_their_names() {
    let _: backends::GpuBackend = GpuBackend::Cuda;
    assert_eq!(GpuBackend::default(), if cfg!(target_os = "macos") { GpuBackend::Metal } else { GpuBackend::Cuda });
    // No other back end than these.
    match utils::get_optimal_backend() {
        GpuBackend::Cuda | GpuBackend::Rocm | GpuBackend::Metal | GpuBackend::Wgpu | GpuBackend::Cpu => {}
    }
    let errors: [Box<dyn std::error::Error>; 5] = [
        Box::new(BackendError::NotAvailable { backend: GpuBackend::Rocm }),
        Box::new(BackendError::InitializationFailed { reason: "a".to_owned() }),
        Box::new(BackendError::UnsupportedOperation { operation: "b".to_owned() }),
        Box::new(BackendError::BackendSpecific { message: "c".to_owned() }),
        Box::new(BackendError::DeviceError { device_id: 3 }),
    ];
    assert_eq!(errors[0].to_string(), "ROCm is not available on this machine");
    assert!(["a", "b", "c", "3"].iter().zip(&errors[1..]).all(|(text, error)| error.to_string().contains(text)));
    let launch = LaunchConfig { grid_size: (1, 1, 1), block_size: (256, 1, 1), shared_memory_size: 0, stream: None };
    assert_eq!((launch.clone().blocks(), launch.stream), (Some(1), None::<u64>));

    let _: fn(usize, usize) -> usize = utils::align_size;
    let _: fn(usize, usize) -> bool = utils::is_aligned;
    let _: fn(&[(usize, usize)]) -> f32 = utils::calculate_fragmentation;
    let _: fn(usize) -> String = utils::format_bytes;
    let _: fn(usize) -> Option<usize> = utils::checked_next_power_of_two;
    let _: fn(usize, usize) -> (usize, usize) = utils::calculate_block_size;
}

#[test]
fn tensor_cores_have_their_names() {
    let planner: TensorCoreOptimizer = TensorCoreOptimizer::new(TensorCoreConfig::default()).unwrap();
    let state = HardwareUtilizationState::unknown_baseline();
    assert!(planner.schedule(&[], &state).unwrap().is_empty());
    assert_eq!(planner.precisions().next(), Some(TensorCorePrecision::Fp16));
    let _: Answer<MixedPrecisionTrainer> = MixedPrecisionTrainer::new(optirs_gpu::MixedPrecisionConfig::default());
    assert!(SparseTensorCoreMatrix::from_dense(scirs2_core::ndarray::Array2::zeros((1, 4)).view()).is_ok());
}
