//! States and counters that are written: a run goes on from them as from its own.

use scirs2_core::ndarray::{Array0, ArrayD, arr1};

use super::everything::{Everything, EverythingParams};
use super::kinds::STATES;
use super::kinds::kinds::{Kinds, KindsParams};
use super::values;
use crate::backend::faulty::{Call, Faulty};
use crate::{AdamWParams, Device, GpuAdamW, GpuOptimError, Optimizer, ParamSet};

const NAMES: [&str; 2] = ["w", "b"];

fn set(device: &Device, from: Option<&ParamSet>) -> ParamSet {
    let [w, b] = NAMES.map(|name| from.map(|set| set.read(name).unwrap()));
    let w: ArrayD<f32> = w.unwrap_or_else(|| arr1(&[1.0, -0.5, 0.25]).into_dyn());
    let b: ArrayD<f32> = b.unwrap_or_else(|| arr1(&[0.5]).into_dyn());
    ParamSet::new(device, [("w", w), ("b", b)]).unwrap()
}

fn optimizer(params: &ParamSet) -> Optimizer<Kinds> {
    let mut optimizer = Optimizer::on(params.device(), KindsParams::default()).unwrap();
    optimizer.set_scalar("loss", 0.5).unwrap();
    optimizer.write_input(params, "weight", "w", &arr1(&[0.5, 0.25, 2.0])).unwrap();
    optimizer.write_input(params, "weight", "b", &arr1(&[-1.0])).unwrap();
    optimizer
}

fn step(params: &mut ParamSet, optimizer: &mut Optimizer<Kinds>, scale: f32) {
    params.write_grad("w", &(arr1(&[0.5, -0.25, 1.0]) * scale)).unwrap();
    params.write_grad("b", &(arr1(&[0.75]) * scale)).unwrap();
    optimizer.step(params).unwrap();
}

/// Copies every state and counter of one optimizer into another.
fn copy(from: &Optimizer<Kinds>, to: &mut Optimizer<Kinds>, params: &ParamSet) {
    for name in NAMES {
        for state in STATES {
            match state {
                "age" => to.write_host_state(params, state, name, from.host_state(state, name).unwrap()).unwrap(),
                _ => to.write_state(params, state, name, &from.state(state, name).unwrap()).unwrap(),
            }
        }
        to.set_tensor_step_count(params, name, from.tensor_step_count(name).unwrap()).unwrap();
    }
    to.set_step_count(from.step_count());
}

#[test]
fn a_run_goes_on_from_what_was_written() {
    let device = Device::cpu();
    let mut params = set(&device, None);
    let mut first = optimizer(&params);
    step(&mut params, &mut first, 1.0);
    step(&mut params, &mut first, -0.5);
    // Into an optimizer that has not stepped, and into one that has.
    for steps_before in [0, 3] {
        let mut copied = set(&device, None);
        let mut second = optimizer(&copied);
        for _ in 0..steps_before {
            step(&mut copied, &mut second, 3.0);
        }
        for name in NAMES {
            copied.write(name, &params.read(name).unwrap()).unwrap();
        }
        copy(&first, &mut second, &copied);
        let mut stayed = set(&device, Some(&params));
        let mut third = optimizer(&stayed);
        copy(&first, &mut third, &stayed);
        for scale in [2.0, -1.0] {
            step(&mut copied, &mut second, scale);
            step(&mut stayed, &mut third, scale);
        }
        let mut original = set(&device, Some(&params));
        first.move_to_cpu().unwrap();
        first.move_to_gpu().unwrap();
        for scale in [2.0, -1.0] {
            step(&mut original, &mut first, scale);
        }
        for name in NAMES {
            assert_eq!(values(&copied, name), values(&original, name));
            assert_eq!(values(&stayed, name), values(&original, name));
        }
        assert_eq!((second.step_count(), second.tensor_step_count("w").unwrap()), (first.step_count(), 4));
        // The next round starts from two steps again.
        params = set(&device, None);
        first = optimizer(&params);
        step(&mut params, &mut first, 1.0);
        step(&mut params, &mut first, -0.5);
    }
}

#[test]
fn a_written_state_leaves_the_others_their_first_values() {
    let device = Device::cpu();
    let params = ParamSet::new(&device, [("w", arr1(&[8.0, 4.0]))]).unwrap();
    let mut optimizer = Optimizer::<Everything>::on(&device, EverythingParams::default()).unwrap();
    optimizer.write_state(&params, "m", "w", &arr1(&[3.0, -3.0])).unwrap();
    let read = |state: &str| optimizer.state(state, "w").unwrap().into_raw_vec_and_offset().0;
    let states = ["m", "p0", "c", "t", "d", "h"].map(read);
    assert_eq!(states, [vec![3.0, -3.0], vec![8.0, 4.0], vec![2.0, 2.0], vec![1.0], vec![7.0], vec![0.25]]);
    assert_eq!(optimizer.tensor_step_count("w").unwrap(), 0);
    optimizer.write_state(&params, "t", "w", &Array0::from_elem((), 5.0)).unwrap();
    optimizer.write_state(&params, "d", "w", &Array0::from_elem((), 6.0)).unwrap();
    optimizer.write_host_state(&params, "h", "w", 0.1).unwrap();
    assert_eq!(optimizer.state("t", "w").unwrap()[[]], 5.0);
    assert_eq!(optimizer.state("d", "w").unwrap()[[]], 6.0);
    assert_eq!(optimizer.host_state("h", "w").unwrap(), 0.1);
}

#[test]
fn tensors_with_other_counts_do_not_share_a_row() {
    let device = Device::cpu();
    let mut params = ParamSet::new(&device, [("a", arr1(&[1.0])), ("b", arr1(&[1.0]))]).unwrap();
    let mut optimizer = GpuAdamW::on(&device, AdamWParams::default()).unwrap();
    for name in ["a", "b"] {
        params.write_grad(name, &arr1(&[1.0])).unwrap();
    }
    optimizer.step(&mut params).unwrap();
    optimizer.set_tensor_step_count(&params, "b", 1 << 24).unwrap();
    optimizer.step(&mut params).unwrap();
    assert_ne!(values(&params, "a"), values(&params, "b"));
    assert_eq!(optimizer.tensor_step_count("b").unwrap(), (1 << 24) + 1);
}

#[test]
fn tensors_with_other_host_states_do_not_share_a_row() {
    let device = Device::cpu();
    let mut params = ParamSet::new(&device, [("a", arr1(&[1.0])), ("b", arr1(&[1.0]))]).unwrap();
    let mut optimizer = Optimizer::<Kinds>::on(&device, KindsParams::default()).unwrap();
    optimizer.set_scalar("loss", 0.5).unwrap();
    for name in ["a", "b"] {
        optimizer.write_input(&params, "weight", name, &arr1(&[0.5])).unwrap();
        params.write_grad(name, &arr1(&[1.0])).unwrap();
    }
    optimizer.step(&mut params).unwrap();
    assert_eq!(values(&params, "a"), values(&params, "b"));
    optimizer.write_host_state(&params, "age", "b", 100.0).unwrap();
    optimizer.step(&mut params).unwrap();
    assert_ne!(values(&params, "a"), values(&params, "b"));
}

#[test]
fn what_does_not_fit_is_named_and_changes_nothing() {
    let device = Device::cpu();
    let params = set(&device, None);
    let mut optimizer = optimizer(&params);
    let text = |result: Result<(), GpuOptimError>| result.unwrap_err().to_string();
    let number = Array0::from_elem((), 1.0);
    assert!(text(optimizer.write_state(&params, "q", "w", &number)).contains("has no state `q`"));
    assert!(text(optimizer.write_state(&params, "age", "w", &number)).contains("call `write_host_state`"));
    assert!(text(optimizer.write_host_state(&params, "m", "w", 1.0)).contains("`write_state`"));
    assert!(text(optimizer.write_host_state(&params, "age", "w", f64::NAN)).contains("NaN"));
    assert!(text(optimizer.set_tensor_step_count(&params, "x", 1)).contains("`x`"));
    let wrong = optimizer.write_state(&params, "m", "w", &number);
    assert!(
        matches!(wrong, Err(GpuOptimError::ShapeMismatch { tensor, expected, .. }) if tensor == "w" && expected == [3])
    );
    let wrong = optimizer.write_state(&params, "total", "w", &arr1(&[1.0]));
    assert!(
        matches!(wrong, Err(GpuOptimError::ShapeMismatch { tensor, expected, .. }) if tensor == "w" && expected.is_empty())
    );
    assert!(optimizer.state("m", "w").is_err(), "nothing was touched");
}

#[test]
fn a_write_that_fails_leaves_the_tensor_untouched() {
    let cpu = Device::cpu();
    let late = |_| Err(GpuOptimError::Timeout { what: "a fault", seconds: 0.0 });
    let faulty = Faulty::new(&cpu, |call| matches!(call, Call::Write | Call::Allocate | Call::Copy), Box::new(late));
    let device = faulty.device(&cpu);
    let params = set(&device, None);
    let mut optimizer = optimizer(&params);
    let before = device.memory();
    let mut faults = 0;
    loop {
        faulty.set(faults);
        let written = optimizer.write_state(&params, "m", "w", &arr1(&[1.0, 2.0, 3.0]));
        if faulty.set(-1) >= 0 {
            written.unwrap();
            break;
        }
        assert!(matches!(written, Err(GpuOptimError::Timeout { .. })));
        assert!(optimizer.state("m", "w").is_err());
        assert_eq!(device.memory().bytes, before.bytes, "fault {faults} leaves memory");
        faults += 1;
    }
    assert!(faults > 3, "only {faults} calls failed");
    assert_eq!(optimizer.state("count", "w").unwrap(), arr1(&[2.0, 2.0, 2.0]).into_dyn());
}
