//! Optimizers that move: to the host and back, to another device, with everything that they had on the first.

use scirs2_core::gpu::GpuBackend;
use scirs2_core::ndarray::Array1;

use super::kinds::STATES;
use super::kinds::kinds::{Kinds, KindsParams};
use crate::{Device, DeviceConfig, DeviceLimits, GpuOptimError, LimitsChoice, Optimizer, ParamSet};

const LEN: usize = 20_000;

fn ramp(slope: f32) -> Array1<f32> {
    Array1::from_shape_fn(LEN, |index| slope * (index as f32 / LEN as f32 - 0.4))
}

fn set(device: &Device, values: &Array1<f32>) -> ParamSet {
    let mut params = ParamSet::new(device, [("w", values.view())]).unwrap();
    params.write_grad("w", &ramp(0.5)).unwrap();
    params
}

fn optimizer(device: &Device, params: &ParamSet) -> Optimizer<Kinds> {
    let mut optimizer = Optimizer::on(device, KindsParams::default()).unwrap();
    optimizer.set_scalar("loss", 0.5).unwrap();
    optimizer.write_input(params, "weight", "w", &ramp(2.0)).unwrap();
    optimizer
}

/// Parameters and all states, as bits.
fn bits(params: &ParamSet, optimizer: &Optimizer<Kinds>) -> Vec<Vec<u32>> {
    let mut all = vec![params.read("w").unwrap().iter().map(|value| value.to_bits()).collect()];
    for state in STATES {
        all.push(optimizer.state(state, "w").unwrap().iter().map(|value| value.to_bits()).collect());
    }
    all
}

/// What two steps lead to where nothing moves.
fn two_steps() -> Vec<Vec<u32>> {
    let device = Device::cpu();
    let mut params = set(&device, &ramp(1.0));
    let mut optimizer = optimizer(&device, &params);
    optimizer.step(&mut params).unwrap();
    optimizer.step(&mut params).unwrap();
    bits(&params, &optimizer)
}

#[test]
fn inputs_move_with_the_states_and_do_not_replace_later_ones() {
    let device = Device::cpu();
    let mut params = set(&device, &ramp(1.0));
    let mut moving = optimizer(&device, &params);
    // Before the first step, and twice without one.
    for _ in 0..2 {
        moving.move_to_cpu().unwrap();
        assert_eq!(device.memory().buffers, 2, "parameters and gradients stay");
        moving.move_to_gpu().unwrap();
    }
    moving.step(&mut params).unwrap();
    moving.move_to_cpu().unwrap();
    moving.move_to_gpu().unwrap();
    moving.step(&mut params).unwrap();
    assert!(bits(&params, &moving) == two_steps());

    // What is written after a move and before the next step is what that step reads, another move or not.
    for moves in [1, 2] {
        let mut params = set(&device, &ramp(1.0));
        let mut moving = optimizer(&device, &params);
        moving.write_input(&params, "weight", "w", &ramp(-7.0)).unwrap();
        for _ in 0..moves {
            moving.move_to_cpu().unwrap();
            moving.move_to_gpu().unwrap();
            moving.write_input(&params, "weight", "w", &ramp(2.0)).unwrap();
        }
        moving.step(&mut params).unwrap();
        moving.step(&mut params).unwrap();
        assert!(bits(&params, &moving) == two_steps(), "{moves} moves");
    }
}

#[test]
fn an_input_that_was_never_written_is_still_asked_for_after_a_move() {
    let device = Device::cpu();
    let mut params = set(&device, &ramp(1.0));
    let mut moving = optimizer(&device, &params);
    params.add("late", &ramp(1.0)).unwrap();
    params.write_grad("late", &ramp(1.0)).unwrap();
    moving.move_to_cpu().unwrap();
    moving.move_to_gpu().unwrap();
    let error = moving.step(&mut params).unwrap_err();
    assert!(error.to_string().contains("tensor `late` has no `weight`"), "{error}");
}

#[test]
fn an_optimizer_goes_on_where_it_moves_to() {
    // Of other limits, so that states and inputs lie otherwise there.
    let limits = DeviceLimits { buffer_bytes: 98_304, binding_bytes: 98_304, alignment_bytes: 256, grid_width: 7 };
    let config = DeviceConfig {
        backend: Some(GpuBackend::Cpu),
        limits: LimitsChoice::AtMost(limits),
        ..DeviceConfig::default()
    };
    let (first, second) = (Device::cpu(), Device::with_config(config).unwrap());
    let mut params = set(&first, &ramp(1.0));
    let mut moving = optimizer(&first, &params);
    moving.step(&mut params).unwrap();
    let mut there = ParamSet::new(&second, [("w", params.read("w").unwrap())]).unwrap();
    there.write_grad("w", &params.read_grad("w").unwrap()).unwrap();
    let stays = moving.step(&mut there).unwrap_err();
    assert!(matches!(stays, GpuOptimError::InvalidState(_)), "{stays}");
    moving.move_to(&second).unwrap();
    assert_eq!(moving.device(), Some(&second));
    drop(params);
    assert_eq!(first.memory().bytes, 0, "nothing stays behind");
    moving.step(&mut there).unwrap();
    assert!(bits(&there, &moving) == two_steps());
    // To where it is already, nothing moves.
    let before = second.memory();
    moving.move_to(&second).unwrap();
    assert_eq!(second.memory(), before);
}
