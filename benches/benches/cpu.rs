//! Steps of the CPU back end by the size of the tensor and the number of threads.

#![allow(missing_docs, reason = "criterion's macros make public functions")]

use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use optirs_gpu_benches::Failure;
use optirs_gpu_benches::cpu::Cpu;
use optirs_gpu_benches::data::Values;
use optirs_gpu_benches::measure::Loaded;
use optirs_gpu_benches::rules::{Subject, chosen};
use optirs_gpu_benches::sets::Set;

const SIZES: [usize; 4] = [1 << 10, 1 << 14, 1 << 18, 1 << 22];

/// So many steps of a new optimizer, behind its first one.
fn steps(cpu: &mut Cpu, subject: &Subject, values: &Values, count: u64) -> Result<Duration, Failure> {
    cpu.install(|machine| {
        let mut loaded = Loaded::new(machine.device(), Set::One, values)?;
        let mut optimizer = (subject.build)(machine.device())?;
        optimizer.step(&mut loaded.params)?;
        let start = Instant::now();
        (0..count).try_for_each(|_| optimizer.step(&mut loaded.params))?;
        Ok(start.elapsed())
    })
}

fn step(criterion: &mut Criterion) {
    let all = available_parallelism().map_or(1, |threads| threads.get());
    let rules = chosen(&["adamw".to_owned(), "lamb".to_owned()]).expect("standard rules");
    for subject in &rules {
        let mut group = criterion.benchmark_group(subject.name);
        group.sample_size(20);
        for size in SIZES {
            let values = Values::new(&[vec![size]]).expect("an array");
            group.throughput(Throughput::Bytes((size * subject.bytes_per_element) as u64));
            for threads in [1, all] {
                let mut cpu = Cpu::new(threads, 1).expect("threads");
                group.bench_function(BenchmarkId::new(format!("{threads} threads"), size), |bencher| {
                    bencher.iter_custom(|count| steps(&mut cpu, subject, &values, count).expect("steps"));
                });
            }
        }
        group.finish();
    }
}

criterion_group!(benches, step);
criterion_main!(benches);
