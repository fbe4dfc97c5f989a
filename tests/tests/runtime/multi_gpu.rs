//! Means over ranks on one device: all strategies give the same, on the CPU and on the GPU.

use std::sync::Arc;

use optirs_gpu::multi_gpu::{
    AdaptiveCommunicationSelector, CommunicationPerformanceMonitor, CommunicationPerformanceStats, MultiGpuConfig,
    MultiGpuSetup, MultiGpuSync, SyncStrategy,
};
use optirs_gpu::shaders::{self, CollectiveKernel};
use optirs_gpu::{Device, GpuOptimError};
use optirs_gpu_tests::devices;
use scirs2_core::gpu::{GpuBackend, GpuContext, GpuDataType};
use scirs2_core::ndarray::{Array1, Array2, ArrayBase, DataMut, Dimension, arr1, s};
use scirs2_core::numeric::Float;

use crate::noise;

const STRATEGIES: [SyncStrategy; 4] = [
    SyncStrategy::RingAllReduce,
    SyncStrategy::TreeAllReduce,
    SyncStrategy::HierarchicalAllReduce,
    SyncStrategy::PipelineParallel,
];

fn sync(device: &Device, config: MultiGpuConfig) -> MultiGpuSync<f32> {
    MultiGpuSync::new(device, config, 1 << 20).unwrap()
}

fn bits<'a>(values: impl IntoIterator<Item = &'a f32>) -> Vec<u32> {
    values.into_iter().map(|value| value.to_bits()).collect()
}

/// The mean as it is defined, on the host.
fn plain_mean(ranks: &[Array1<f32>]) -> Array1<f32> {
    let scaled = |rank: &Array1<f32>| rank * (1.0 / ranks.len() as f32);
    ranks[1..].iter().fold(scaled(&ranks[0]), |sum, rank| sum + scaled(rank))
}

#[test]
fn every_strategy_is_the_plain_mean_of_any_length_and_number_of_ranks() {
    for device in devices::all() {
        for strategy in STRATEGIES {
            let config = MultiGpuConfig { sync_strategy: strategy, pipeline_depth: 7, ..MultiGpuConfig::default() };
            let mut sync = sync(&device, config);
            let lengths = (1..=64).chain((65..=300).step_by(29)).chain([300, 1000, 70_001]);
            for (case, len) in lengths.enumerate() {
                let count = 1 + case % 4;
                let mut ranks: Vec<_> = (0..count).map(|rank| noise(len, (31 * len + rank) as u32)).collect();
                let expected = plain_mean(&ranks);
                sync.all_reduce_mean(&mut ranks).unwrap();
                for rank in &ranks {
                    assert!(bits(rank) == bits(&expected), "{count} ranks of {len}, {strategy:?}, {device}");
                }
            }
            let stats = sync.get_performance_stats();
            assert_eq!((stats.total_operations, stats.step_count, stats.pending_async_ops), (76, 76, 0));
            assert_eq!(stats.current_strategy, strategy);
            assert!(stats.average_bandwidth_gb_s.is_finite() && stats.average_bandwidth_gb_s > 0.0);
            sync.synchronize_all().unwrap();
        }
    }
}

#[test]
fn gradients_of_one_rank_come_back_bit_for_bit_whatever_they_are() {
    let special = [f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0, f32::MAX, f32::MIN_POSITIVE, 1.0, -1.5];
    for device in devices::all() {
        for strategy in STRATEGIES {
            let mut sync = sync(&device, MultiGpuConfig { sync_strategy: strategy, ..MultiGpuConfig::default() });
            for len in 1..=40 {
                let given = Array1::from_shape_fn(len, |at| special[at * at % special.len()]);
                let mut found = given.clone();
                sync.sync_gradients(&mut found).unwrap();
                assert_eq!(bits(&found), bits(&given), "{strategy:?} on {device}");
            }
            let mut unknown = arr1(&[1.0, f32::NAN, 2.0]);
            sync.sync_gradients(&mut unknown).unwrap();
            assert!(unknown[1].is_nan() && unknown[0] == 1.0 && unknown[2] == 2.0, "{unknown} on {device}");

            // Views of any layout, in place.
            let whole = Array2::from_shape_fn((6, 5), |(row, column)| (5 * row + column) as f32);
            let (mut first, mut second) = (whole.clone(), whole.mapv(|value| -3.0 * value));
            let mut views = [first.slice_mut(s![..;-2, 1..]), second.slice_mut(s![..;-2, 1..])];
            sync.all_reduce_mean(&mut views).unwrap();
            assert_eq!(first.slice(s![..;-2, 1..]), whole.slice(s![..;-2, 1..]).mapv(|value| -value));
            assert_eq!(first.slice(s![..;-2, 1..]), second.slice(s![..;-2, 1..]));
            assert_eq!(first.slice(s![..;2, 1..]), whole.slice(s![..;2, 1..]));
            assert_eq!(first.column(0), whole.column(0));
        }
    }
}

#[test]
fn a_strategy_that_changes_by_itself_changes_no_bit() {
    for device in devices::all() {
        let config = MultiGpuConfig { bandwidth_monitor_interval: 2, pipeline_depth: 3, ..MultiGpuConfig::default() };
        let mut sync = sync(&device, config);
        for seed in 0..20 {
            let mut ranks = [noise(1001, seed), noise(1001, 100 + seed), noise(1001, 200 + seed)];
            let expected = plain_mean(&ranks);
            sync.all_reduce_mean(&mut ranks).unwrap();
            assert_eq!(bits(&ranks[2]), bits(&expected), "{device}");
        }
    }
}

#[test]
fn what_compression_holds_back_comes_later_and_nothing_is_lost() {
    for device in devices::all() {
        for error_correction in [true, false] {
            let config = MultiGpuConfig {
                gradient_compression: true,
                compression_ratio: 0.3,
                error_correction,
                ..MultiGpuConfig::default()
            };
            let mut sync = sync(&device, config);
            let (mut given, mut sent) = (Array1::<f32>::zeros(101), Array1::<f32>::zeros(101));
            for seed in 0..30 {
                // Multiples of 1/64, whose sums are exact.
                let gradients = noise(101, seed).mapv(|value| (64.0 * value).round() / 64.0);
                let mut synchronized = gradients.clone();
                sync.sync_gradients(&mut synchronized).unwrap();
                assert!(synchronized.iter().filter(|value| **value != 0.0).count() <= 30);
                given += &gradients;
                sent += &synchronized;
            }
            let residual = Array1::from(sync.residual().to_vec());
            if error_correction {
                assert_eq!(sent + residual, given, "{device}");
            } else {
                assert!(residual.is_empty() && sent != given);
            }
        }
    }
}

#[test]
fn residuals_belong_to_one_length_until_they_are_cleared() {
    let mut sync = sync(&Device::cpu(), MultiGpuConfig { compression_ratio: 0.5, ..MultiGpuConfig::default() });
    assert_eq!(sync.compress_gradients(&arr1(&[1.0, -3.0])).unwrap(), (vec![-3.0], vec![1]));
    let error = sync.compress_gradients(&arr1(&[1.0, 2.0, 3.0])).unwrap_err();
    assert!(matches!(&error, GpuOptimError::InvalidState(text) if text.contains("2 elements")), "{error}");
    assert_eq!(sync.residual(), [1.0, 0.0]);
    sync.clear_residual();
    assert_eq!(sync.compress_gradients(&arr1(&[1.0, f32::NAN, 3.0])).unwrap().1, [1]);
    sync.clear_residual();
    assert_eq!(sync.compress_gradients(&Array1::zeros(0)).unwrap(), (vec![], vec![]));
}

#[test]
fn what_cannot_be_done_is_refused_before_anything_is_opened() {
    let config = MultiGpuConfig::default();
    let unsupported = |error: GpuOptimError, what: &str| {
        assert!(matches!(&error, GpuOptimError::UnsupportedOperation(text) if text.contains(what)), "{error}");
    };
    let context = Arc::new(GpuContext::new(GpuBackend::Cpu).unwrap());
    unsupported(MultiGpuSync::<f32>::new(context, config.clone(), 8).unwrap_err(), "runs no kernels");
    let two = MultiGpuConfig { num_gpus: 2, rank: 1, ..config.clone() };
    unsupported(MultiGpuSync::<f32>::new(Device::cpu(), two, 8).unwrap_err(), "num_gpus = 2");
    unsupported(MultiGpuSetup::new(2, 8).map(|_| ()).unwrap_err(), "num_gpus = 2");
    let asynchronous = MultiGpuConfig { async_param_updates: true, ..config.clone() };
    unsupported(MultiGpuSync::<f32>::new(Device::cpu(), asynchronous, 8).unwrap_err(), "async_param_updates");
    unsupported(MultiGpuSync::<f64>::new(Device::cpu(), config.clone(), 8).unwrap_err(), "`f64`");
    let error = MultiGpuSync::<f32>::new(Device::cpu(), config.clone(), 0).unwrap_err();
    assert!(matches!(error, GpuOptimError::OutOfRange { field: "max_param_size", .. }), "{error}");

    let mut sync = MultiGpuSync::<f32>::new(Device::cpu(), config, 2).unwrap();
    let error = sync.sync_gradients(&mut arr1(&[1.0, 2.0, 3.0])).unwrap_err();
    assert!(matches!(error, GpuOptimError::DimensionMismatch { .. }), "{error}");
    let error = sync.all_reduce_mean(&mut [arr1(&[1.0]), arr1(&[1.0, 2.0])]).unwrap_err();
    assert!(matches!(error, GpuOptimError::DimensionMismatch { .. }), "{error}");
    sync.sync_gradients(&mut Array1::zeros(0)).unwrap();
    let stats = sync.get_performance_stats();
    assert_eq!((stats.total_operations, stats.step_count, stats.average_bandwidth_gb_s), (0, 1, 0.0));
}

#[test]
fn a_setup_is_of_the_gpu_that_there_is() {
    let Some(device) = devices::default_gpu() else { return };
    let mut setup = MultiGpuSetup::new(1, 8).unwrap();
    let [sync] = setup.sync_managers.as_mut_slice() else { panic!("not one device") };
    assert_eq!(sync.device().name(), device.name());
    let mut gradients = arr1(&[1.0, 2.0, 3.0]);
    sync.sync_gradients(&mut gradients).unwrap();
    assert_eq!(gradients, arr1(&[1.0, 2.0, 3.0]));
    assert_eq!(setup.contexts.len(), usize::from(device.backend() == GpuBackend::Metal));
}

/// Callers are generic over elements and arrays.
fn generic<A, S, D>(sync: &mut MultiGpuSync<A>, gradients: &mut ArrayBase<S, D>) -> Result<Vec<A>, GpuOptimError>
where
    A: Float + GpuDataType + Send + Sync,
    S: DataMut<Elem = A>,
    D: Dimension,
{
    sync.sync_gradients(gradients)?;
    sync.synchronize_all()?;
    let (values, indices): (Vec<A>, Vec<i32>) = sync.compress_gradients(gradients)?;
    assert_eq!(values.len(), indices.len());
    Ok(values)
}

#[test]
fn the_names_of_0_3_2_are_there_with_their_defaults() {
    type Answer<T> = Result<T, GpuOptimError>;
    let _: fn(Arc<GpuContext>, MultiGpuConfig, usize) -> Answer<MultiGpuSync<f32>> = MultiGpuSync::new;
    let _: fn(usize, usize) -> Answer<MultiGpuSetup> = MultiGpuSetup::new;
    fn fields(setup: MultiGpuSetup) -> (Vec<Arc<GpuContext>>, Vec<MultiGpuSync<f32>>) {
        (setup.contexts, setup.sync_managers)
    }
    let _ = fields;
    let _: Option<(CommunicationPerformanceMonitor, AdaptiveCommunicationSelector)> = None;
    let default = "MultiGpuConfig { num_gpus: 1, rank: 0, sync_strategy: RingAllReduce, gradient_compression: false, \
                   compression_ratio: 0.1, local_group_size: 4, adaptive_communication: true, \
                   bandwidth_monitor_interval: 100, async_param_updates: false, communication_timeout_ms: 5000, \
                   error_correction: true, pipeline_depth: 2 }";
    assert_eq!(format!("{:?}", MultiGpuConfig::default()), default);

    let mut sync = sync(&Device::cpu(), MultiGpuConfig::default());
    assert_eq!(generic(&mut sync, &mut Array2::from_elem((2, 3), 4.0)).unwrap(), [4.0]);
    let CommunicationPerformanceStats {
        average_bandwidth_gb_s: _,
        total_operations: 1,
        total_data_transferred_gb: moved,
        current_strategy: SyncStrategy::RingAllReduce,
        pending_async_ops: 0,
        step_count: 1,
    } = sync.get_performance_stats()
    else {
        panic!("{:?}", sync.get_performance_stats())
    };
    assert_eq!(moved, 48e-9);
    let kernel = CollectiveKernel::AllReduceMean;
    assert_eq!(kernel.source_for(GpuBackend::Wgpu), Some(shaders::wgsl::ALL_REDUCE_MEAN));
    assert_eq!(kernel.source_for(GpuBackend::Metal), Some(shaders::msl::ALL_REDUCE_MEAN));
}
