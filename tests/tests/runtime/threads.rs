//! Several threads on one device: each result is the one that its thread would have had alone, to the bit.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Barrier, RwLock};

use optirs_gpu::rule::{Rule, StateKind};
use optirs_gpu::{
    AdamParams, Device, DeviceConfig, GpuAdam, GpuLamb, LambParams, Optimizer, ParamSet, RmspropParams, SgdParams,
    rules,
};
use optirs_gpu_tests::devices;

use crate::{bits, noise};

const STEPS: u32 = 15;
const LENGTHS: [usize; 3] = [40_000, 33, 8193];

/// A set of a thread's own.
fn set(device: &Device, seed: u32) -> ParamSet {
    let tensors =
        LENGTHS.iter().enumerate().map(|(place, len)| (format!("t{place}"), noise(*len, seed + place as u32)));
    ParamSet::new(device, tensors).unwrap()
}

fn step<R: Rule>(optimizer: &mut Optimizer<R>, params: &mut ParamSet, step: u32) {
    for (place, len) in LENGTHS.iter().enumerate() {
        params.write_grad(&format!("t{place}"), &noise(*len, 100 * step + place as u32)).unwrap();
    }
    optimizer.step(params).unwrap();
}

/// Parameters and element states as bits.
fn all_bits<R: Rule>(optimizer: &Optimizer<R>, params: &ParamSet) -> Vec<Vec<u32>> {
    let mut all = Vec::new();
    for name in params.names() {
        all.push(bits(params, name));
        for state in R::STATES.iter().filter(|state| state.kind == StateKind::Element) {
            if let Ok(state) = optimizer.state(state.name, name) {
                all.push(state.iter().map(|value| value.to_bits()).collect());
            }
        }
    }
    all
}

fn train<R: Rule>(device: &Device, params: R::Params, seed: u32) -> Vec<Vec<u32>> {
    let mut set = set(device, seed);
    let mut optimizer = Optimizer::<R>::on(device, params).unwrap();
    for at in 0..STEPS {
        step(&mut optimizer, &mut set, at);
        if at % 5 == 4 {
            // Reads and waits between the steps of others.
            set.read("t1").unwrap();
            device.wait().unwrap();
        }
    }
    all_bits(&optimizer, &set)
}

type Train = fn(&Device) -> Vec<Vec<u32>>;

/// One optimizer for each thread, of different rules and of the same.
const TRAININGS: [Train; 6] = [
    |device| train::<rules::Adam>(device, AdamParams::default(), 1),
    |device| train::<rules::Adam>(device, AdamParams { learning_rate: 0.1, ..AdamParams::default() }, 2),
    |device| train::<rules::Lamb>(device, LambParams::default(), 3),
    |device| train::<rules::Lamb>(device, LambParams { weight_decay: 0.1, ..LambParams::default() }, 4),
    |device| train::<rules::Sgd>(device, SgdParams { momentum: 0.9, ..SgdParams::default() }, 5),
    |device| train::<rules::Rmsprop>(device, RmspropParams { centered: true, ..RmspropParams::default() }, 6),
];

/// Runs these at once, each in a thread of its own.
fn at_once(device: &Device, trainings: &[Train]) -> Vec<Vec<Vec<u32>>> {
    let start = Barrier::new(trainings.len());
    std::thread::scope(|scope| {
        let threads = trainings.iter().map(|train| {
            let start = &start;
            scope.spawn(move || {
                start.wait();
                train(device)
            })
        });
        let threads: Vec<_> = threads.collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

#[test]
fn threads_that_step_at_once_get_what_each_gets_alone() {
    for device in devices::all() {
        let alone: Vec<_> = TRAININGS.iter().map(|train| train(&device)).collect();
        assert!(at_once(&device, &TRAININGS[1..3]) == alone[1..3], "two threads on {device}");
        assert!(at_once(&device, &TRAININGS) == alone, "six threads on {device}");
    }
}

#[test]
fn threads_that_compile_their_rules_at_once_on_a_fresh_device_get_the_same() {
    let Some(device) = devices::gpu(DeviceConfig::default()) else { return };
    let at_once = at_once(&device, &TRAININGS);
    let alone: Vec<_> = TRAININGS.iter().map(|train| train(&device)).collect();
    assert!(at_once == alone);
}

#[test]
fn a_reader_sees_whole_steps_and_another_set_is_read_meanwhile() {
    for device in devices::all() {
        // What each number of steps leads to.
        let mut params = set(&device, 7);
        let mut optimizer = GpuLamb::on(&device, LambParams::default()).unwrap();
        let mut expected = vec![bits(&params, "t0")];
        for at in 0..STEPS {
            step(&mut optimizer, &mut params, at);
            expected.push(bits(&params, "t0"));
        }
        let quiet = set(&device, 8);
        let quiet_bits = bits(&quiet, "t0");
        let shared = RwLock::new((set(&device, 7), GpuLamb::on(&device, LambParams::default()).unwrap()));
        let done = AtomicBool::new(false);
        let reads = std::thread::scope(|scope| {
            let reader = scope.spawn(|| {
                let mut reads = 0;
                while !done.load(Ordering::Relaxed) || reads == 0 {
                    let (params, optimizer) = &*shared.read().unwrap();
                    assert!(bits(params, "t0") == expected[optimizer.step_count() as usize]);
                    reads += 1;
                }
                reads
            });
            let bystander = scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    assert!(bits(&quiet, "t0") == quiet_bits);
                    assert!(device.memory().buffers > 0);
                }
            });
            for at in 0..STEPS {
                let (params, optimizer) = &mut *shared.write().unwrap();
                step(optimizer, params, at);
            }
            done.store(true, Ordering::Relaxed);
            bystander.join().unwrap();
            reader.join().unwrap()
        });
        assert!(reads > 0);
        let (params, _) = &*shared.read().unwrap();
        assert!(bits(params, "t0") == expected[STEPS as usize]);
    }
}

#[test]
fn a_device_that_its_user_drops_serves_those_who_are_still_on_it() {
    for device in devices::all() {
        let alone = TRAININGS[2](&device);
        let mut params = set(&device, 3);
        let mut optimizer = GpuLamb::on(&device, LambParams::default()).unwrap();
        let others: Vec<_> = (0..2).map(|seed| set(&device, seed)).collect();
        let device = std::sync::Mutex::new(Some(device));
        std::thread::scope(|scope| {
            scope.spawn(|| drop(device.lock().unwrap().take()));
            // Sets that go while steps over another one are under way.
            scope.spawn(|| drop(others));
            for at in 0..STEPS {
                step(&mut optimizer, &mut params, at);
            }
        });
        assert!(device.lock().unwrap().is_none());
        assert!(all_bits(&optimizer, &params) == alone);
        // The last of the device goes with work under way, in another thread.
        step(&mut optimizer, &mut params, 0);
        std::thread::spawn(move || drop((params, optimizer))).join().unwrap();
    }
}

#[test]
fn an_optimizer_and_its_set_go_from_thread_to_thread() {
    for device in devices::all() {
        let mut alone = (set(&device, 9), GpuAdam::on(&device, AdamParams::default()).unwrap());
        let mut moving = (set(&device, 9), GpuAdam::on(&device, AdamParams::default()).unwrap());
        for at in 0..5 {
            step(&mut alone.1, &mut alone.0, at);
            let moved = std::thread::spawn(move || {
                step(&mut moving.1, &mut moving.0, at);
                moving
            });
            moving = moved.join().unwrap();
        }
        assert!(all_bits(&moving.1, &moving.0) == all_bits(&alone.1, &alone.0));
    }
}
