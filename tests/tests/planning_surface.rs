//! What callers of 0.3.2's modules beside the optimizers name: every item, field and signature, as they stood. Those of
//! `multi_gpu` are held in `runtime/multi_gpu.rs`, where there is a device.

use optirs_gpu::backends::{self, BackendError, DeviceCapabilities, LaunchConfig};
use optirs_gpu::memory::vendors::{MemoryKind, VendorProfile};
use optirs_gpu::ndarray::{Array1, Array2, array};
use optirs_gpu::occupancy::occupancy_for_launch;
use optirs_gpu::rand::SeedableRng;
use optirs_gpu::rand::rngs::StdRng;
use optirs_gpu::tensor_cores::{
    HardwareUtilizationState, MixedPrecisionTrainer, SparseTensorCoreMatrix, TensorCoreConfig, TensorCoreOptimizer,
    TensorCorePrecision,
};
use optirs_gpu::{
    CooGradient, CsrGradient, DynamicLossScaler, Fp8Format, FusionGraph, FusionGroup, FusionOp, FusionPlan,
    FusionPlanner, GpuBackend, GpuOptimError, IntDtype, KernelResourceUsage, LazyAdamMode, MemoryPool,
    MixedPrecisionConfig, OccupancyLimiter, OccupancyResult, OpKind, OverflowStats, QatConfig, QatOptimizer,
    QuantParams, QuantScheme, QuantTarget, RoundingMode, SmResourceLimits, SparseAdam, SparseAdamConfig,
    SparseAdamTable, SparseSgd, SparseSgdConfig, SparseSgdTable, calculate_occupancy, f16_bits_to_f32, f32_to_f16_bits,
    fake_quant_backward, fake_quant_fp8, fake_quant_int, fake_quant_int_per_channel, optimal_block_size,
    per_channel_params,
};
use optirs_gpu::{memory, mixed_precision, quantization, utils};

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

#[test]
fn mixed_precision_has_its_names() {
    let MixedPrecisionConfig {
        init_scale,
        growth_factor,
        backoff_factor,
        growth_interval: 2000u32,
        min_scale,
        max_scale,
        use_bfloat16: false,
    } = MixedPrecisionConfig::default()
    else {
        panic!("{:?}", MixedPrecisionConfig::default())
    };
    assert_eq!([init_scale, growth_factor, backoff_factor, min_scale], [65536.0f32, 2.0, 0.5, 1.0]);
    assert_eq!((max_scale, DynamicLossScaler::WINDOW), (8_388_608.0, 100usize));
    let mut scaler: DynamicLossScaler = DynamicLossScaler::new(MixedPrecisionConfig::default());
    assert!(scaler.unscale_and_check(&mut [f32::NAN]));
    scaler.update(false);
    assert_eq!((scaler.scale(), scaler.inv_scale()), (32768.0f32, 1.0 / 32768.0f32));
    let OverflowStats { total_steps, overflow_count, overflow_rate, current_scale } = scaler.overflow_stats();
    assert_eq!((total_steps, overflow_count, overflow_rate, current_scale), (2usize, 1usize, 0.5f32, 32768.0f32));

    let _: fn(f32) -> u16 = f32_to_f16_bits;
    let _: fn(u16) -> f32 = f16_bits_to_f32;
    let _: fn(&[f32]) -> Vec<u16> = mixed_precision::f32_slice_to_f16_bits;
    let _: fn(&[u16]) -> Vec<f32> = mixed_precision::f16_bits_slice_to_f32;
    assert_eq!(mixed_precision::saturate_to_f16_range(1e9), mixed_precision::F16_MAX);
}

#[test]
fn quantization_has_its_names() {
    assert_eq!((quantization::E4M3_MAX_NORMAL, quantization::E5M2_MAX_NORMAL), (448.0f64, 57344.0f64));
    let int8 = IntDtype::from_bits(8).unwrap();
    assert_eq!((int8, int8.bits(), int8.q_range(QuantScheme::Affine)), (IntDtype::Int8, 8u32, (-128, 127)));
    let bits = [Fp8Format::E4M3, Fp8Format::E5M2].map(|format| (format.mantissa_bits(), format.exponent_bias()));
    assert_eq!(bits, [(3i32, 7i32), (2, 15)]);
    let _: [fn(Fp8Format) -> f64; 3] = [Fp8Format::max_normal, Fp8Format::min_normal, Fp8Format::min_subnormal];

    let (symmetric, nearest) = (QuantScheme::Symmetric, RoundingMode::Nearest);
    let (mut rng, x) = (StdRng::seed_from_u64(0), array![-1.27f64, 1.0]);
    let params @ QuantParams { scale: _, zero_point: 0i32, qmin: -127i32, qmax: 127i32 } =
        QuantParams::from_minmax(-1.27, 1.0, int8, symmetric).unwrap()
    else {
        panic!("another grid")
    };
    for same in [
        QuantParams::from_absmax(1.27, int8),
        QuantParams::per_tensor_minmax(&x, int8, symmetric),
        QuantParams::symmetric_from_absmax(&x, int8),
        QuantParams::per_tensor_percentile(&x, int8, symmetric, 0.0),
    ] {
        assert_eq!(same.unwrap(), params);
    }
    assert_eq!(params.quantize(1.0, nearest, &mut rng), 100i32);
    assert_eq!(params.dequantize(100), params.fake_quant_scalar(1.0, nearest, &mut rng));
    assert_eq!(fake_quant_int(&x, &params, nearest, &mut rng)[0], params.real_min());
    assert_eq!(fake_quant_fp8(&x, Fp8Format::E4M3, RoundingMode::Stochastic, &mut rng)[1], 1.0);
    let table: Array2<f64> = array![[1.0, 2.0]];
    let channels: Vec<QuantParams> = per_channel_params(&table, 0, int8, symmetric).unwrap();
    let quantized = fake_quant_int_per_channel(&table, &channels, 0, nearest, &mut rng).unwrap();
    assert_eq!(quantized[[0, 1]], channels[0].real_max());
    assert_eq!(fake_quant_backward(&x, &x, -1.0, params.real_max()).unwrap(), array![0.0, 1.0]);

    let config @ QatConfig { target: _, scheme: _, rounding: _, lr, beta1, beta2, eps, weight_decay } =
        QatConfig::new(QuantTarget::Int(int8), symmetric, nearest, 0.5);
    assert_eq!([lr, beta1, beta2, eps, weight_decay], [0.5, 0.9, 0.999, 1e-8, 0.0]);
    let mut master: Array1<f64> = x.clone();
    let mut optimizer: QatOptimizer = QatOptimizer::new(&master, config, &mut rng).unwrap();
    optimizer.step(&mut master, &x, &mut rng).unwrap();
    assert_eq!((optimizer.step_count(), optimizer.quantized_weights().len()), (1u64, 2));
    assert!(optimizer.quant_params().is_some());
    assert_ne!(QuantTarget::Fp8(Fp8Format::E5M2), config.target);
}

#[test]
fn sparse_optimizers_have_their_names() {
    let coo: CooGradient = CooGradient::new_unsorted(vec![3, 1, 3], vec![1.0, 2.0, 1.0], 4).unwrap();
    assert_eq!(coo, CooGradient::new(vec![1, 3], vec![2.0, 2.0], 4).unwrap());
    assert_eq!((coo.dim(), coo.nnz(), coo.is_empty(), CooGradient::empty(4).is_empty()), (4, 2, false, true));
    assert_eq!((coo.indices(), coo.values()), (&[1, 3][..], &[2.0, 2.0][..]));
    assert_eq!((coo.validate().is_ok(), coo.iter().collect::<Vec<_>>()), (true, vec![(1, 2.0), (3, 2.0)]));
    let csr: CsrGradient = CsrGradient::from_coo(&coo, (2, 2)).unwrap();
    assert_eq!(csr, CsrGradient::new(vec![0, 1, 2], vec![1, 1], vec![2.0, 2.0], (2, 2)).unwrap());
    assert_eq!((csr.shape(), csr.rows(), csr.cols(), csr.nnz()), ((2, 2), 2, 2, 2));
    assert_eq!((csr.row(0).unwrap(), CsrGradient::empty((2, 2)).nnz()), ((&[1][..], &[2.0][..]), 0));
    assert_eq!((csr.iter().collect::<Vec<_>>(), csr.validate().is_ok()), (vec![(0, 1, 2.0), (1, 1, 2.0)], true));
    assert_eq!((csr.to_coo(), CooGradient::from(&csr)), (coo.clone(), coo.clone()));

    let adam @ SparseAdamConfig { lr, beta1, beta2, epsilon, weight_decay, mode: LazyAdamMode::Lazy } =
        SparseAdamConfig::default()
    else {
        panic!("another mode")
    };
    assert_eq!([lr, beta1, beta2, epsilon, weight_decay], [1e-3, 0.9, 0.999, 1e-8, 0.0]);
    let sgd @ SparseSgdConfig { lr, weight_decay, momentum, nesterov } = SparseSgdConfig::default();
    assert_eq!((lr, weight_decay, momentum, nesterov), (1e-2, 0.0, 0.0, false));
    let (mut vector, mut table) = (Array1::<f64>::zeros(4), Array2::<f64>::zeros((2, 2)));
    let (mut by_element, mut by_row) = (SparseAdam::new(adam), SparseAdamTable::new(adam));
    by_element.step(&mut vector, &coo).unwrap();
    by_row.step(&mut table, &csr).unwrap();
    assert_eq!((by_element.global_step(), by_row.global_step(), by_element.config().lr), (1usize, 1usize, 1e-3));
    let mut by_element = SparseSgd::new(SparseSgdConfig { lr: 1.0, ..sgd });
    by_element.step(&mut vector, &coo).unwrap();
    SparseSgdTable::new(*by_element.config()).step(&mut table, &csr).unwrap();
    assert_eq!(vector.to_vec(), table.into_raw_vec_and_offset().0);
    assert_ne!(adam.mode, LazyAdamMode::DormancyDecay);
}

#[test]
fn memory_has_its_names() {
    let mut pool: MemoryPool = memory::MemoryPool::new(VendorProfile::CUDA, 4096).unwrap();
    let buffer = pool.allocate(1, MemoryKind::Host).unwrap();
    assert_eq!(pool.free(buffer), Ok::<(), memory::MemoryError>(()));
    let _: [VendorProfile; 4] =
        [VendorProfile::CUDA, VendorProfile::ROCM, VendorProfile::ONE_API, VendorProfile::METAL];
}
