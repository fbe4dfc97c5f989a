//! After a device is lost: what is still there, and how training goes on.

use optirs_gpu::{
    AdamParams, AdamWParams, Device, DeviceConfig, GpuAdam, GpuAdamW, GpuOptimError, GpuSgd, ParamSet, SgdParams,
};
use optirs_gpu_tests::devices::{default_gpu, gpu};
use scirs2_core::ndarray::{Array1, ArrayD};

fn values() -> Array1<f32> {
    Array1::from_shape_fn(5000, |index| (index as f32).sin())
}

fn gradient(step: usize) -> Array1<f32> {
    Array1::from_shape_fn(5000, |index| ((index + 17 * step) as f32).cos())
}

fn lose(device: &Device) {
    device.wgpu().unwrap().0.destroy();
}

fn bits(values: &ArrayD<f32>) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// Five steps of AdamW on one device that nothing happens to.
fn five_steps(device: &Device) -> Vec<u32> {
    let mut params = ParamSet::new(device, [("w", values())]).unwrap();
    let mut optimizer = GpuAdamW::on(device, AdamWParams::default()).unwrap();
    for step in 0..5 {
        params.write_grad("w", &gradient(step)).unwrap();
        optimizer.step(&mut params).unwrap();
    }
    bits(&params.read("w").unwrap())
}

#[test]
fn an_optimizer_that_was_on_the_host_goes_on_on_another_device() {
    let (Some(first), Some(second)) = (gpu(DeviceConfig::default()), gpu(DeviceConfig::default())) else { return };
    let mut params = ParamSet::new(&first, [("w", values())]).unwrap();
    let mut optimizer = GpuAdamW::on(&first, AdamWParams::default()).unwrap();
    for step in 0..3 {
        params.write_grad("w", &gradient(step)).unwrap();
        optimizer.step(&mut params).unwrap();
    }
    let saved = params.read("w").unwrap();
    optimizer.move_to_cpu().unwrap();
    lose(&first);
    // It is on the host, so it does not matter to it; and it does not go back to a lost device that it was given.
    assert!(matches!(optimizer.move_to_gpu(), Err(GpuOptimError::DeviceLost(_))));
    assert_eq!(optimizer.step_count(), 3);
    optimizer.move_to(&second).unwrap();
    let mut params = ParamSet::new(&second, [("w", saved)]).unwrap();
    for step in 3..5 {
        params.write_grad("w", &gradient(step)).unwrap();
        optimizer.step(&mut params).unwrap();
    }
    assert_eq!(optimizer.step_count(), 5);
    assert!(bits(&params.read("w").unwrap()) == five_steps(&second));
}

#[test]
fn states_on_a_lost_device_are_not_forgotten_in_silence() {
    let (Some(first), Some(second)) = (gpu(DeviceConfig::default()), gpu(DeviceConfig::default())) else { return };
    let mut params = ParamSet::new(&first, [("w", values())]).unwrap();
    params.write_grad("w", &gradient(0)).unwrap();
    let mut optimizer = GpuAdamW::on(&first, AdamWParams::default()).unwrap();
    optimizer.step(&mut params).unwrap();
    lose(&first);
    assert!(matches!(optimizer.move_to(&second), Err(GpuOptimError::DeviceLost(_))));
    assert!(matches!(optimizer.move_to_cpu(), Err(GpuOptimError::DeviceLost(_))));
    assert_eq!((optimizer.step_count(), optimizer.device()), (1, Some(&first)));
    optimizer.reset();
    optimizer.move_to(&second).unwrap();
    let mut params = ParamSet::new(&second, [("w", values())]).unwrap();
    for step in 0..5 {
        params.write_grad("w", &gradient(step)).unwrap();
        optimizer.step(&mut params).unwrap();
    }
    assert!(bits(&params.read("w").unwrap()) == five_steps(&second));
}

#[test]
fn a_rule_without_states_loses_nothing_with_its_device() {
    let (Some(first), Some(second)) = (gpu(DeviceConfig::default()), gpu(DeviceConfig::default())) else { return };
    let mut params = ParamSet::new(&first, [("w", values())]).unwrap();
    params.write_grad("w", &gradient(0)).unwrap();
    let mut optimizer = GpuSgd::on(&first, SgdParams::default()).unwrap();
    optimizer.step(&mut params).unwrap();
    lose(&first);
    optimizer.move_to(&second).unwrap();
    let mut params = ParamSet::new(&second, [("w", values())]).unwrap();
    params.write_grad("w", &gradient(1)).unwrap();
    optimizer.step(&mut params).unwrap();
    assert_eq!(optimizer.tensor_step_count("w").unwrap(), 2);
}

/// The device of the classic surface is shared by whoever uses it, so that these are one test.
#[test]
fn the_classic_surface_opens_another_device_when_it_has_left_the_lost_one() {
    if default_gpu().is_none() {
        return;
    }
    let three_steps = |optimizer: &mut GpuAdam, array: &mut Array1<f32>| {
        use optirs_gpu::GpuOptimizer;
        for step in 0..3 {
            optimizer.step_gpu(array, &gradient(step)).unwrap();
        }
    };
    let (mut undisturbed, mut expected) = (GpuAdam::new(AdamParams::default()).unwrap(), values());
    undisturbed.move_to_gpu().unwrap();
    three_steps(&mut undisturbed, &mut expected);
    let after_three = expected.clone();
    three_steps(&mut undisturbed, &mut expected);
    drop(undisturbed);

    // On the host while its device is lost.
    let (mut optimizer, mut array) = (GpuAdam::new(AdamParams::default()).unwrap(), values());
    optimizer.move_to_gpu().unwrap();
    three_steps(&mut optimizer, &mut array);
    optimizer.move_to_cpu().unwrap();
    let lost = optimizer.device().unwrap().clone();
    lose(&lost);
    optimizer.move_to_gpu().unwrap();
    assert_ne!(optimizer.device(), Some(&lost));
    three_steps(&mut optimizer, &mut array);
    assert_eq!(array, expected);

    // On its device when that is lost.
    use optirs_gpu::GpuOptimizer;
    lose(&optimizer.device().unwrap().clone());
    for _ in 0..2 {
        assert!(matches!(optimizer.step_gpu(&mut array, &gradient(0)), Err(GpuOptimError::DeviceLost(_))));
        assert!(matches!(optimizer.move_to_gpu(), Err(GpuOptimError::DeviceLost(_))));
    }
    assert_eq!((&array, optimizer.step_count()), (&expected, 6));
    optimizer.reset();
    assert!(matches!(optimizer.step_gpu(&mut array, &gradient(0)), Err(GpuOptimError::DeviceLost(_))));
    optimizer.move_to_gpu().unwrap();
    let mut array = values();
    three_steps(&mut optimizer, &mut array);
    assert_eq!((array, optimizer.step_count()), (after_three, 3));
}
