//! Calls to a back end that fail, and allocations for which there is no memory: each in turn.

use scirs2_core::ndarray::arr1;

use super::training::with_every_fault;
use crate::backend::faulty::{Call, Faulty};
use crate::{AdagradParams, Device, GpuAdagrad, GpuOptimError, ParamSet};

/// The CPU, and a GPU if there is one.
pub fn devices() -> Vec<Device> {
    #[cfg(feature = "wgpu")]
    let gpu = crate::backend::wgpu::tests::device(crate::DeviceConfig::default());
    #[cfg(not(feature = "wgpu"))]
    let gpu = None;
    core::iter::once(Device::cpu()).chain(gpu).collect()
}

#[test]
fn a_call_that_fails_changes_nothing() {
    let device = Device::cpu();
    let late = |_| Err(GpuOptimError::Timeout { what: "a fault", seconds: 0.0 });
    let faulty = Faulty::new(&device, |_| true, Box::new(late));
    let faults = with_every_fault(&faulty, &device, |error| matches!(error, GpuOptimError::Timeout { .. }));
    assert!(faults > 100, "only {faults} calls failed");
}

#[test]
fn an_allocation_without_memory_changes_nothing_and_leaves_nothing() {
    for device in devices() {
        let faulty = Faulty::without_memory(&device);
        let faults = with_every_fault(&faulty, &device, |error| matches!(error, GpuOptimError::OutOfMemory(_)));
        assert!(faults > 20, "only {faults} allocations failed on {device}");
    }
}

#[test]
fn first_values_of_a_step_that_failed_do_not_stay() {
    let device = Device::cpu();
    let late = |_| Err(GpuOptimError::Timeout { what: "a fault", seconds: 0.0 });
    let faulty = Faulty::new(&device, |call| call == Call::Run, Box::new(late));
    let device = faulty.device(&device);
    let mut params = ParamSet::new(&device, [("a", arr1(&[1.0f32])), ("b", arr1(&[1.0]))]).unwrap();
    let beginning_at = |initial_accumulator| AdagradParams { initial_accumulator, ..AdagradParams::default() };
    let mut optimizer = GpuAdagrad::on(&device, beginning_at(0.5)).unwrap();
    params.write_grad("a", &arr1(&[2.0])).unwrap();
    optimizer.step(&mut params).unwrap();
    // The states of `b` have their place by now, and the step that fails gives them their first values.
    params.write_grad("b", &arr1(&[2.0])).unwrap();
    faulty.set(0);
    optimizer.step(&mut params).unwrap_err();
    optimizer.set_params(beginning_at(0.0)).unwrap();
    optimizer.step(&mut params).unwrap();
    assert_eq!(optimizer.state("square_sum", "b").unwrap()[[0]], 4.0);
    assert_eq!(optimizer.state("square_sum", "a").unwrap()[[0]], 8.5);
}
