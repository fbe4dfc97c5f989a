use scirs2_core::gpu::GpuBackend;
use scirs2_core::ndarray::arr1;

use super::*;

fn on_cpu() -> GpuOptimizerConfig {
    GpuOptimizerConfig::with_backend(GpuBackend::Cpu)
}

fn adam(learning_rate: f32) -> GpuAdam {
    let mut adam = GpuAdam::with_config(AdamParams { learning_rate, ..AdamParams::default() }, on_cpu()).unwrap();
    adam.move_to_gpu().unwrap();
    adam
}

#[test]
fn hyper_parameters_are_checked_by_name() {
    for (params, field) in [
        (AdamParams { learning_rate: -1.0, ..AdamParams::default() }, "learning_rate"),
        (AdamParams { learning_rate: f32::NAN, ..AdamParams::default() }, "learning_rate"),
        (AdamParams { beta1: 1.0, ..AdamParams::default() }, "beta1"),
        (AdamParams { beta2: -0.1, ..AdamParams::default() }, "beta2"),
        (AdamParams { epsilon: f32::INFINITY, ..AdamParams::default() }, "epsilon"),
        (AdamParams { weight_decay: -1.0, ..AdamParams::default() }, "weight_decay"),
    ] {
        let error = GpuAdam::with_config(params, on_cpu()).unwrap_err();
        assert!(matches!(&error, GpuOptimError::OutOfRange { field: named, .. } if *named == field), "{error}");
        let AdamParams { learning_rate, beta1, beta2, epsilon, weight_decay } = params;
        assert!(AdamParams::new(learning_rate, beta1, beta2, epsilon, weight_decay).is_err());
        assert!(adam(0.1).set_params(params).is_err());
    }
    assert_eq!(AdamParams::new(1e-3, 0.9, 0.999, 1e-8, 0.0).unwrap(), AdamParams::default());
}

#[test]
fn the_old_names_of_the_moves_remain() {
    let mut adam = GpuAdam::with_config(AdamParams::default(), on_cpu()).unwrap();
    #[allow(deprecated)]
    {
        adam.to_gpu().unwrap();
        assert!(adam.is_resident());
        adam.to_cpu().unwrap();
        assert!(!adam.is_resident());
        <GpuAdam as GpuOptimizer<f32, scirs2_core::ndarray::Ix1>>::to_gpu(&mut adam).unwrap();
        <GpuAdam as GpuOptimizer<f32, scirs2_core::ndarray::Ix1>>::to_cpu(&mut adam).unwrap();
        assert!(!adam.is_resident());
    }
}

#[test]
fn adagrad_tells_its_next_learning_rate() {
    let params = AdagradParams { learning_rate: 0.5, lr_decay: 0.25, ..AdagradParams::default() };
    let mut adagrad = GpuAdagrad::with_config(params, on_cpu()).unwrap();
    adagrad.move_to_gpu().unwrap();
    assert_eq!(adagrad.next_effective_lr(), 0.5);
    adagrad.step_gpu(&mut arr1(&[1.0]), &arr1(&[1.0])).unwrap();
    assert_eq!(adagrad.next_effective_lr(), 0.4);
}

#[test]
fn a_learning_rate_of_zero_leaves_the_bits_alone() {
    let mut params = arr1(&[1.1, -2.5, 1e-40, f32::MAX]);
    let before: Vec<u32> = params.iter().map(|x: &f32| x.to_bits()).collect();
    let mut adam = adam(0.0);
    for _ in 0..3 {
        adam.step_gpu(&mut params, &arr1(&[1.0, -2.0, 3.0, 0.0])).unwrap();
    }
    assert_eq!(params.iter().map(|x| x.to_bits()).collect::<Vec<_>>(), before);
}

#[test]
fn an_option_cannot_change_in_mid_training() {
    let mut sgd = GpuSgd::with_config(SgdParams::default(), on_cpu()).unwrap();
    let error = sgd.set_params(SgdParams { momentum: 0.9, ..SgdParams::default() }).unwrap_err();
    assert!(matches!(&error, GpuOptimError::InvalidState(text) if text.contains("`momentum`")), "{error}");
    let error = GpuSgd::with_config(SgdParams { nesterov: true, ..SgdParams::default() }, on_cpu()).unwrap_err();
    assert!(matches!(error, GpuOptimError::Requirement(_)), "{error}");
}

#[test]
fn an_optimizer_on_the_host_holds_no_device_memory() {
    let device = Device::cpu();
    let mut adam = GpuAdam::on(&device, AdamParams::default()).unwrap();
    adam.step_gpu(&mut arr1(&[1.0]), &arr1(&[1.0])).unwrap();
    assert!(device.memory().buffers > 0);
    adam.move_to_cpu().unwrap();
    assert_eq!(device.memory().buffers, 0);
}
