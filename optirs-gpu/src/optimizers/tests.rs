use scirs2_core::gpu::GpuBackend;
use scirs2_core::ndarray::{Array, Array1, Array2, arr1, arr2, s};

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
fn arrays_of_any_layout_are_stepped_in_place() {
    let ones = Array2::ones((3, 2));
    let mut params = Array1::from_iter((0..6).map(|x| x as f32)).into_shape_with_order((2, 3)).unwrap().reversed_axes();
    adam(0.1).step_gpu(&mut params, &ones).unwrap();
    let expected = arr2(&[[-0.1, 2.9], [0.9, 3.9], [1.9, 4.9]]);
    assert!(params.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-6), "{params}");
    assert!(!params.is_standard_layout());

    let whole = Array1::from_iter((0..12).map(|x| x as f32));
    let mut reversed = whole.clone().slice_move(s![..;-2]);
    let mut plain = reversed.as_standard_layout().into_owned();
    let gradients = Array1::linspace(-1.0, 1.0, 6);
    adam(0.1).step_gpu(&mut reversed, &gradients).unwrap();
    adam(0.1).step_gpu(&mut plain, &gradients).unwrap();
    assert_eq!(reversed, plain);
    assert_ne!(plain, whole.slice(s![..;-2]));
}

#[test]
fn errors_come_before_changes() {
    let mut params = arr1(&[1.0, 2.0, 3.0]);
    let gradients = arr1(&[1.0, 1.0, 1.0]);
    let mut adam = GpuAdam::with_config(AdamParams::default(), on_cpu()).unwrap();
    let error = adam.step_gpu(&mut params, &gradients).unwrap_err();
    assert!(matches!(&error, GpuOptimError::InvalidState(text) if text.contains("`move_to_gpu()`")), "{error}");
    adam.move_to_gpu().unwrap();
    let error = adam.step_gpu(&mut params, &arr1(&[1.0])).unwrap_err();
    let GpuOptimError::DimensionMismatch { expected, actual } = error else { panic!("{error}") };
    assert_eq!((expected, actual), (vec![3], vec![1]));
    assert_eq!(params, arr1(&[1.0, 2.0, 3.0]));
    assert_eq!(adam.step_count(), 0);

    adam.step_gpu(&mut params, &gradients).unwrap();
    let mut longer = Array1::zeros(4);
    let error = adam.step_gpu(&mut longer, &Array1::ones(4)).unwrap_err();
    assert!(matches!(&error, GpuOptimError::InvalidState(text) if text.contains("reset()")), "{error}");
    assert_eq!(longer, Array1::zeros(4));
    adam.reset();
    adam.step_gpu(&mut longer, &Array1::ones(4)).unwrap();
    assert_eq!(adam.step_count(), 1);
}

#[test]
fn empty_arrays_are_left_alone() {
    let mut adam = adam(0.1);
    adam.step_gpu(&mut Array1::zeros(0), &Array1::zeros(0)).unwrap();
    assert_eq!(adam.step_count(), 0);
    let mut params = arr1(&[1.0]);
    adam.step_gpu(&mut params, &arr1(&[1.0])).unwrap();
    assert_eq!(adam.step_count(), 1);
}

#[test]
fn moving_in_mid_training_does_not_change_a_bit() {
    let gradient = |step: usize| Array::from_shape_fn((5, 7), |(i, j)| ((i * 7 + j + 3 * step) as f32).sin());
    let train = |moves: bool| {
        let mut params = Array::from_shape_fn((5, 7), |(i, j)| (i as f32 - j as f32) / 3.0);
        let mut lamb = GpuLamb::with_config(AdamParams::default(), on_cpu()).unwrap();
        for step in 0..6 {
            if moves || step == 0 {
                lamb.move_to_gpu().unwrap();
            }
            lamb.step_gpu(&mut params, &gradient(step)).unwrap();
            if moves {
                lamb.move_to_cpu().unwrap();
                assert!(lamb.step_gpu(&mut params, &gradient(step)).is_err());
            }
        }
        assert_eq!(lamb.step_count(), 6);
        params
    };
    assert_eq!(train(false), train(true));
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
fn the_classic_surface_compiles_as_before() {
    let defaults = GpuOptimizerConfig::default();
    assert_eq!(defaults.backend, None);
    assert!(GpuSgd::new(SgdParams::default()).is_ok());
    assert!(GpuAdamW::new(AdamParams::default()).is_ok());
    assert!(GpuAdamW::new(AdamWParams::default()).is_ok());
    assert!(GpuLamb::new(AdamParams::default()).is_ok());
    assert!(GpuRmsprop::with_config(RmspropParams::default(), on_cpu()).is_ok());
    for backend in [GpuBackend::Cuda, GpuBackend::Rocm, GpuBackend::OpenCL] {
        let refused = GpuAdam::with_config(AdamParams::default(), GpuOptimizerConfig::with_backend(backend));
        assert!(matches!(refused, Err(GpuOptimError::UnsupportedOperation(_))));
    }
    let mut adam = GpuAdam::with_config(AdamParams::default(), on_cpu()).unwrap();
    assert_eq!(adam.backend(), GpuBackend::Cpu);
    assert!(!adam.is_gpu_available());
    #[allow(deprecated)]
    {
        adam.to_gpu().unwrap();
        adam.to_cpu().unwrap();
        <GpuAdam as GpuOptimizer<f32, scirs2_core::ndarray::Ix1>>::to_gpu(&mut adam).unwrap();
    }
    assert_eq!(adam.params(), &AdamParams::default());
    adam.set_params(AdamParams { learning_rate: 0.5, ..AdamParams::default() }).unwrap();
    assert_eq!(adam.params().learning_rate, 0.5);
    assert!(GpuAdam::WGSL.contains("@compute"));
    assert_eq!(GpuAdam::NAME, "adam");
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
