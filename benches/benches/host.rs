//! What a step costs the host, by the number of tensors: the first one of an optimizer, which plans its tables, and those that
//! find them there.
//!
//! There is no device that does nothing: on the CPU, tensors of 4 elements keep its share small, and it is in the figures. On a
//! GPU, a software one only where `OPTIRS_ADAPTER` names it, the call alone is timed, with an idle device.

#![allow(missing_docs, reason = "criterion's macros make public functions")]

use std::time::{Duration, Instant};

use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use optirs_gpu::ndarray::ArrayD;
use optirs_gpu::{AdamWParams, Device, GpuAdamW, GpuOptimError, ParamSet};
use optirs_gpu_benches::data::{Values, name};

const COUNTS: [usize; 5] = [1, 10, 100, 1_000, 10_000];

/// So many small tensors, each with a gradient.
fn set(device: &Device, count: usize) -> ParamSet {
    let values = Values::new(&vec![vec![4]; count]).expect("small arrays");
    let named = |(place, array): (usize, &ArrayD<f32>)| (name(place), array.clone());
    let mut params = ParamSet::new(device, values.parameters.iter().enumerate().map(named)).expect("memory");
    for (place, gradient) in values.gradients.iter().enumerate() {
        params.write_grad(&name(place), gradient).expect("the set's tensor");
    }
    device.wait().expect("a device");
    params
}

fn optimizer(device: &Device) -> GpuAdamW {
    GpuAdamW::on(device, AdamWParams::default()).expect("defaults")
}

/// The devices, by what their figures are called.
fn devices() -> Vec<(&'static str, Device)> {
    let gpu = Device::new().ok().map(|device| ("gpu", device));
    [("cpu", Device::cpu())].into_iter().chain(gpu).collect()
}

fn first_step(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("first step, tables planned");
    group.sample_size(20);
    for (label, device) in devices() {
        let mut params = set(&device, 10_000);
        let mut step = |mut optimizer: GpuAdamW| -> Result<GpuAdamW, GpuOptimError> {
            optimizer.step(&mut params)?;
            Ok(optimizer)
        };
        group.bench_function(BenchmarkId::new(label, 10_000), |bencher| {
            bencher.iter_batched(|| optimizer(&device), &mut step, BatchSize::PerIteration);
        });
    }
    group.finish();
}

fn later_steps(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("later step");
    for (label, device) in devices() {
        for count in COUNTS {
            let (mut params, mut optimizer) = (set(&device, count), optimizer(&device));
            optimizer.step(&mut params).expect("a step");
            group.bench_function(BenchmarkId::new(label, count), |bencher| {
                bencher.iter_custom(|steps| {
                    let mut taken = Duration::ZERO;
                    for _ in 0..steps {
                        let start = Instant::now();
                        optimizer.step(&mut params).expect("a step");
                        taken += start.elapsed();
                        device.wait().expect("a device");
                    }
                    taken
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, first_step, later_steps);
criterion_main!(benches);
