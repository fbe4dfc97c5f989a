//! What is dispatched and waited for, what a failure leaves, and compression against brute force.

use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use scirs2_core::ndarray::{Array1, arr1, aview1};

use super::compression::kept_of;
use super::*;
use crate::backend::faulty::{Call, Faulty};

/// Something without pattern, with ties, NaN, infinities and zeros of both signs among it.
fn edgy(len: usize, seed: u32) -> Vec<f32> {
    let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(12_345);
    let mut draw = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 8
    };
    // Processors pass the sign of a NaN on, which Rust does not promise: under Miri every sum that is NaN is the same one.
    let negative_nan = if cfg!(miri) { f32::NAN } else { -f32::NAN };
    let special = [f32::NAN, negative_nan, f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0, 1.0, -1.0];
    let mut value = || match draw() % 3 {
        0 => special[draw() as usize % special.len()],
        1 => (draw() % 9) as f32 - 4.0,
        _ => draw() as f32 / (1 << 22) as f32 - 2.0,
    };
    (0..len).map(|_| value()).collect()
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// Whether `a` is sent before `b`, spelled out.
fn is_before(values: &[f32], a: usize, b: usize) -> bool {
    let (x, y) = (values[a].abs(), values[b].abs());
    match (x.is_nan(), y.is_nan()) {
        (true, false) => true,
        (false, true) => false,
        (true, true) => a < b,
        _ => x > y || x == y && a < b,
    }
}

#[test]
fn every_number_of_kept_is_of_those_that_come_first() {
    for len in 0..=(if cfg!(miri) { 12 } else { 300 }) {
        let (gradients, earlier) = (edgy(len, len as u32), edgy(len, 1000 + len as u32));
        for residual in [None, Some(earlier.as_slice())] {
            let zeros = vec![-0.0; len];
            let sums = gradients.iter().zip(residual.unwrap_or(&zeros));
            let corrected: Vec<f32> = sums.map(|(gradient, residual)| gradient + residual).collect();
            let before = |at: usize| (0..len).filter(|other| is_before(&corrected, *other, at)).count();
            let places: Vec<usize> = (0..len).map(before).collect();
            for count in 0..=len {
                let found = top_k(&gradients, residual, count).unwrap();
                let sent: Vec<usize> = found.indices.iter().map(|index| *index as usize).collect();
                let expected: Vec<usize> = (0..len).filter(|at| places[*at] < count).collect();
                assert_eq!(sent, expected, "{count} of {corrected:?}");
                // An element is sent or kept, and not changed.
                let mut whole = found.residual.clone();
                for (place, value) in sent.iter().zip(&found.values) {
                    assert_eq!(whole[*place].to_bits(), 0);
                    whole[*place] = *value;
                }
                assert_eq!(bits(&whole), bits(&corrected));
            }
        }
    }
}

#[test]
fn the_kept_number_is_a_whole_part_and_never_none_of_some() {
    let counts = [(0, 0.5), (1, 0.1), (9, 0.1), (10, 0.1), (20, 0.1), (29, 0.1), (10, 0.7), (300, 1.0), (3, 0.34)];
    assert_eq!(counts.map(|(len, ratio)| kept_of(len, ratio)), [0, 1, 1, 1, 2, 2, 7, 300, 1]);
    let many = [((1 << 24) + 1, 1.0), ((1 << 25) + 1, 0.5), (100_000_000, 0.29)];
    assert_eq!(many.map(|(len, ratio)| kept_of(len, ratio)), [(1 << 24) + 1, 1 << 24, 29_000_000]);
}

/// A device that counts reads and waits, and dispatches; `fails` is the call that fails, from 0.
fn counting(waits: &Arc<AtomicUsize>) -> (Arc<Faulty>, Device) {
    let (cpu, counted) = (Device::cpu(), Arc::clone(waits));
    let count = move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
        Ok(())
    };
    let faulty = Faulty::new(&cpu, |call| matches!(call, Call::Read | Call::Wait), Box::new(count));
    let device = faulty.device(&cpu);
    (faulty, device)
}

#[test]
fn a_pipeline_is_one_dispatch_a_chunk_and_one_wait() {
    use SyncStrategy::{HierarchicalAllReduce, PipelineParallel, RingAllReduce, TreeAllReduce};
    let chunked = |depth, len, dispatches| (PipelineParallel, depth, len, dispatches);
    let cases = [
        (RingAllReduce, 8, 300, 1),
        (TreeAllReduce, 8, 300, 1),
        (HierarchicalAllReduce, 8, 300, 1),
        chunked(1, 300, 1),
        chunked(8, 300, 8),
        chunked(8, 3, 3),
        // Chunks of 3 and a tail of 1, of 2 and a tail of 1.
        chunked(4, 10, 4),
        chunked(7, 9, 5),
    ];
    for (sync_strategy, pipeline_depth, len, dispatches) in cases {
        let waits = Arc::new(AtomicUsize::new(0));
        let (faulty, device) = counting(&waits);
        // Time is no matter here; under Miri a mean takes longer than it may by default.
        let communication_timeout_ms = 600_000;
        let default = MultiGpuConfig::default();
        let config = MultiGpuConfig { sync_strategy, pipeline_depth, communication_timeout_ms, ..default };
        let mut sync = MultiGpuSync::new(device, config, 300).unwrap();
        for _ in 0..2 {
            let mut gradients = Array1::from(edgy(len, 7));
            faulty.set(0);
            sync.sync_gradients(&mut gradients).unwrap();
            // The first of them met the counter; were there others, they would have gone on below it.
            assert_eq!((waits.swap(0, Ordering::Relaxed), faulty.set(-1)), (1, -1), "{sync_strategy:?}");
            assert_eq!(faulty.dispatched(), dispatches, "{sync_strategy:?} in {pipeline_depth} of {len}");
            assert_eq!(bits(gradients.as_slice().unwrap()), bits(&edgy(len, 7)));
        }
    }
}

#[test]
fn a_call_that_fails_changes_nothing_and_can_be_made_again() {
    let cpu = Device::cpu();
    let fault = |_| Err(GpuOptimError::Device("a fault".to_owned()));
    let faulty = Faulty::new(&cpu, |_| true, Box::new(fault));
    let config = MultiGpuConfig {
        sync_strategy: SyncStrategy::PipelineParallel,
        gradient_compression: true,
        compression_ratio: 0.5,
        communication_timeout_ms: 600_000,
        ..MultiGpuConfig::default()
    };
    let mut failures = 0;
    loop {
        let mut sync = MultiGpuSync::<f32>::new(faulty.device(&cpu), config.clone(), 4).unwrap();
        let mut gradients = arr1(&[1.0, -3.0, 2.0, 0.5]);
        faulty.set(failures);
        if sync.sync_gradients(&mut gradients).is_err() {
            failures += 1;
            assert_eq!(gradients, aview1(&[1.0, -3.0, 2.0, 0.5]));
            assert!(sync.residual().is_empty());
            assert_eq!(sync.get_performance_stats().step_count, 0);
            sync.sync_gradients(&mut gradients).unwrap();
        }
        assert_eq!(gradients, aview1(&[0.0, -3.0, 2.0, 0.0]));
        assert_eq!(sync.residual(), [1.0, 0.0, 0.0, 0.5]);
        if faulty.set(-1) >= 0 {
            break;
        }
    }
    assert!(failures > 10, "only {failures} calls");
}

#[test]
fn no_gradients_are_left_alone_whatever_is_kept_of_others() {
    let config = MultiGpuConfig { gradient_compression: true, compression_ratio: 0.5, ..MultiGpuConfig::default() };
    let mut sync = MultiGpuSync::<f32>::new(Device::cpu(), config, 4).unwrap();
    sync.sync_gradients(&mut arr1(&[1.0, -3.0])).unwrap();
    sync.sync_gradients(&mut arr1(&[])).unwrap();
    assert_eq!((sync.residual(), sync.get_performance_stats().step_count), (&[1.0, 0.0][..], 1));
}

#[test]
fn fields_out_of_range_are_named_with_value_and_range() {
    let refused = |change: fn(&mut MultiGpuConfig)| {
        let mut config = MultiGpuConfig::default();
        change(&mut config);
        config.validate().unwrap_err().to_string()
    };
    let finite = "is out of range: it must be finite and in";
    for (found, expected) in [
        (refused(|config| config.num_gpus = 0), format!("num_gpus = 0 {finite} 1..")),
        (refused(|config| config.rank = 1), format!("rank = 1 {finite} ..num_gpus")),
        (refused(|config| config.local_group_size = 0), format!("local_group_size = 0 {finite} 1..")),
        (
            refused(|config| config.bandwidth_monitor_interval = 0),
            format!("bandwidth_monitor_interval = 0 {finite} 1.."),
        ),
        (refused(|config| config.communication_timeout_ms = 0), format!("communication_timeout_ms = 0 {finite} 1..")),
        (refused(|config| config.pipeline_depth = 0), format!("pipeline_depth = 0 {finite} 1..=1024")),
        (refused(|config| config.pipeline_depth = 1025), format!("pipeline_depth = 1025 {finite} 1..=1024")),
    ] {
        assert_eq!(found, expected);
    }
    for ratio in [0.0, -0.1, 1.1, f32::NAN, f32::INFINITY] {
        let config = MultiGpuConfig { compression_ratio: ratio, ..MultiGpuConfig::default() };
        let error = config.validate().unwrap_err().to_string();
        assert!(error.starts_with("compression_ratio = ") && error.contains("0.0..=1.0, and above 0"), "{error}");
    }
    MultiGpuConfig { compression_ratio: 1.0, pipeline_depth: 1024, ..MultiGpuConfig::default() }.validate().unwrap();
}
