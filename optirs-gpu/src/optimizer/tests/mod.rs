//! The runtime on rules written by hand, on the CPU back end.

#[cfg(feature = "checkpoint")]
mod checkpoints;
mod descent;
mod everything;
mod failures;
mod groups;
mod guard;
mod kinds;
mod lineups;
#[cfg(feature = "wgpu")]
mod losses;
mod membership;
#[cfg(feature = "checkpoint")]
mod misfits;
mod moves;
mod schedules;
mod shards;
mod states;
mod training;
mod writes;

use descent::{Descent, DescentParams};
use scirs2_core::ndarray::{Array1, ArrayD, IxDyn, arr1, arr2};

use crate::{Device, GpuOptimError, Optimizer, ParamSet};

fn two() -> (ParamSet, Optimizer<Descent>) {
    let device = Device::cpu();
    let mut params = ParamSet::new(&device, [("w", arr1(&[1.0, 2.0])), ("b", arr1(&[3.0]))]).unwrap();
    params.write_grad("w", &arr1(&[1.0, -1.0])).unwrap();
    params.write_grad("b", &arr1(&[4.0])).unwrap();
    (params, Optimizer::on(&device, DescentParams::default()).unwrap())
}

fn values(params: &ParamSet, name: &str) -> Vec<f32> {
    params.read(name).unwrap().into_raw_vec_and_offset().0
}

#[test]
fn a_step_updates_every_tensor_that_has_a_gradient() {
    let (mut params, mut optimizer) = two();
    optimizer.step(&mut params).unwrap();
    assert_eq!(values(&params, "w"), [0.5, 2.5]);
    assert_eq!(values(&params, "b"), [1.0]);
    params.set_grad_missing("w").unwrap();
    optimizer.step(&mut params).unwrap();
    assert_eq!(values(&params, "w"), [0.5, 2.5]);
    assert_eq!(values(&params, "b"), [-1.0]);
    assert_eq!(optimizer.step_count(), 2);
    assert_eq!(optimizer.tensor_step_count("w").unwrap(), 1);
    params.clear_grads();
    optimizer.step(&mut params).unwrap();
    assert_eq!(optimizer.step_count(), 2);
}

#[test]
fn tensors_that_take_turns_are_each_stepped_in_its_own() {
    let (mut params, mut optimizer) = two();
    for (missing, w, b) in [("b", [0.5, 2.5], 3.0), ("w", [0.5, 2.5], 1.0), ("b", [0.0, 3.0], 1.0)] {
        for name in ["w", "b"] {
            params.set_grad_present(name).unwrap();
        }
        params.set_grad_missing(missing).unwrap();
        optimizer.step(&mut params).unwrap();
        assert_eq!((values(&params, "w"), values(&params, "b")), (w.to_vec(), vec![b]), "without {missing}");
    }
}

#[test]
fn tables_follow_buffers_that_were_replaced() {
    let (mut params, mut optimizer) = two();
    optimizer.step(&mut params).unwrap();
    // Without a gradient it takes no part, but the others have moved to make room for it.
    params.add("c", &Array1::zeros(100_000)).unwrap();
    optimizer.step(&mut params).unwrap();
    assert_eq!((values(&params, "w"), values(&params, "b")), (vec![0.0, 3.0], vec![-1.0]));
}

#[test]
fn errors_name_what_was_wrong_and_change_nothing() {
    let (mut params, mut optimizer) = two();
    let wrong = DescentParams { learning_rate: f32::NAN, ..DescentParams::default() };
    assert!(matches!(optimizer.set_params(wrong), Err(GpuOptimError::OutOfRange { field: "learning_rate", .. })));
    let mut elsewhere = ParamSet::new(&Device::cpu(), [("w", arr1(&[1.0]))]).unwrap();
    elsewhere.write_grad("w", &arr1(&[1.0])).unwrap();
    let error = optimizer.step(&mut elsewhere).unwrap_err();
    assert!(matches!(error, GpuOptimError::InvalidState(_)), "{error}");

    optimizer.step(&mut params).unwrap();
    let mut other = ParamSet::new(params.device(), [("w", arr1(&[1.0]))]).unwrap();
    other.write_grad("w", &arr1(&[1.0])).unwrap();
    assert!(optimizer.step(&mut other).unwrap_err().to_string().contains("reset()"));
    optimizer.reset();
    optimizer.step(&mut other).unwrap();
    assert_eq!(optimizer.step_count(), 1);

    let (mut params, mut optimizer) = two();
    let four = ArrayD::<f32>::zeros(IxDyn(&[1, 1, 1, 1]));
    params.add("c", &four).unwrap();
    params.write_grad("c", &four).unwrap();
    assert!(optimizer.step(&mut params).unwrap_err().to_string().contains("at most three dimensions"));
    assert_eq!(optimizer.step_count(), 0);
    assert_eq!(values(&params, "w"), [1.0, 2.0]);
}

#[test]
fn a_set_that_grows_goes_on() {
    let (mut params, mut optimizer) = two();
    optimizer.step(&mut params).unwrap();
    params.add("c", &arr2(&[[1.0, 2.0], [3.0, 4.0]])).unwrap();
    params.write_grad("c", &arr2(&[[2.0, 4.0], [6.0, 8.0]]).t()).unwrap();
    optimizer.step(&mut params).unwrap();
    assert_eq!(values(&params, "w"), [0.0, 3.0]);
    assert_eq!(values(&params, "c"), [0.0, -1.0, 1.0, 0.0]);
}

#[test]
fn steps_over_the_same_tensors_allocate_nothing() {
    let (mut params, mut optimizer) = two();
    params.add("big", &Array1::zeros(100_000)).unwrap();
    params.write_grad("big", &Array1::ones(100_000)).unwrap();
    optimizer.step(&mut params).unwrap();
    let before = params.device().memory();
    for _ in 0..3 {
        optimizer.step(&mut params).unwrap();
    }
    assert_eq!(params.device().memory(), before);
    assert_eq!(values(&params, "big"), vec![-2.0; 100_000]);
}
