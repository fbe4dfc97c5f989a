//! The classic surface, on the CPU and on the GPU if there is one.

use optirs_gpu::optimizers::{GpuOptimizerConfig, SUPPORTED_BACKENDS};
use optirs_gpu::shaders::{self, OptimizerKernel};
use optirs_gpu::{
    AdagradParams, AdamParams, AdamWParams, GpuAdagrad, GpuAdam, GpuAdamW, GpuLamb, GpuOptimError, GpuOptimizer,
    GpuRmsprop, GpuSgd, Optimizer, RmspropParams, SgdParams,
};
use optirs_gpu_tests::devices;
use scirs2_core::gpu::GpuBackend;
use scirs2_core::ndarray::{Array, Array1, Array2, Array3, ArrayD, Dimension, IxDyn, arr1, arr2, s};

/// The CPU, and the GPU if there is one.
fn configs() -> Vec<GpuOptimizerConfig> {
    let gpu = devices::default_gpu();
    let backends = core::iter::once(GpuBackend::Cpu).chain(gpu.map(|device| device.backend()));
    backends.map(GpuOptimizerConfig::with_backend).collect()
}

fn adam(config: GpuOptimizerConfig, learning_rate: f32) -> GpuAdam {
    let mut adam = GpuAdam::with_config(AdamParams { learning_rate, ..AdamParams::default() }, config).unwrap();
    adam.move_to_gpu().unwrap();
    adam
}

/// Callers are generic over the trait.
fn step<D: Dimension>(
    optimizer: &mut impl GpuOptimizer<f32, D>,
    params: &mut Array<f32, D>,
    gradients: &Array<f32, D>,
) -> Result<(), GpuOptimError> {
    optimizer.step_gpu(params, gradients)
}

#[test]
fn arrays_of_any_layout_are_stepped_in_place() {
    for config in configs() {
        let mut params =
            Array1::from_iter((0..6).map(|x| x as f32)).into_shape_with_order((2, 3)).unwrap().reversed_axes();
        step(&mut adam(config, 0.1), &mut params, &Array2::ones((3, 2))).unwrap();
        let expected = arr2(&[[-0.1, 2.9], [0.9, 3.9], [1.9, 4.9]]);
        assert!(params.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-6), "{params}");

        let whole = Array3::from_shape_fn((4, 6, 5), |(i, j, k)| (30 * i + 5 * j + k) as f32 / 7.0);
        let gradients = whole.slice(s![..;2, ..;-3, 1..]).mapv(f32::sin);
        let mut sliced = whole.clone().slice_move(s![..;2, ..;-3, 1..]);
        let mut plain = sliced.as_standard_layout().into_owned();
        step(&mut adam(config, 0.1), &mut sliced, &gradients).unwrap();
        step(&mut adam(config, 0.1), &mut plain, &gradients).unwrap();
        assert_eq!(sliced, plain);

        let mut scalar = ArrayD::from_elem(IxDyn(&[]), 1.0);
        step(&mut adam(config, 0.1), &mut scalar, &ArrayD::from_elem(IxDyn(&[]), 2.0)).unwrap();
        assert!((scalar[IxDyn(&[])] - 0.9).abs() < 1e-6);
    }
}

#[test]
fn errors_come_before_changes() {
    for config in configs() {
        let mut params = arr1(&[1.0, 2.0, 3.0]);
        let mut optimizer = GpuAdam::with_config(AdamParams::default(), config).unwrap();
        let error = step(&mut optimizer, &mut params, &Array1::ones(3)).unwrap_err();
        assert!(matches!(&error, GpuOptimError::InvalidState(text) if text.contains("`move_to_gpu()`")), "{error}");
        optimizer.move_to_gpu().unwrap();
        let error = step(&mut optimizer, &mut params, &Array1::ones(2)).unwrap_err();
        assert!(
            matches!(&error, GpuOptimError::DimensionMismatch { expected, actual } if expected == &[3] && actual == &[2])
        );
        assert_eq!((params.to_vec(), optimizer.step_count()), (vec![1.0, 2.0, 3.0], 0));
        step(&mut optimizer, &mut params, &Array1::ones(3)).unwrap();
        let error = step(&mut optimizer, &mut Array1::zeros(4), &Array1::ones(4)).unwrap_err();
        assert!(matches!(&error, GpuOptimError::InvalidState(text) if text.contains("reset()")), "{error}");
        step(&mut optimizer, &mut Array1::zeros(0), &Array1::ones(0)).unwrap_err();
        optimizer.reset();
        step(&mut optimizer, &mut Array1::zeros(4), &Array1::ones(4)).unwrap();
        assert_eq!(optimizer.step_count(), 1);
    }
}

#[test]
fn empty_arrays_are_left_alone() {
    for config in configs() {
        let mut optimizer = adam(config, 0.1);
        step(&mut optimizer, &mut Array2::zeros((0, 3)), &Array2::zeros((0, 3))).unwrap();
        assert_eq!(optimizer.step_count(), 0);
    }
}

/// The same trajectory whether or not the optimizer is moved between all steps.
fn moves<R: optirs_gpu::rule::Rule>(params: R::Params, config: GpuOptimizerConfig) {
    let train = |moves: bool| {
        let mut array = Array::from_shape_fn((33, 37), |(i, j)| ((i * 37 + j) as f32).cos());
        let mut optimizer = Optimizer::<R>::with_config(params, config).unwrap();
        optimizer.move_to_gpu().unwrap();
        for step in 0..5 {
            let gradients = Array::from_shape_fn((33, 37), |(i, j)| ((i + 3 * j + 11 * step) as f32).sin());
            optimizer.step_gpu(&mut array, &gradients).unwrap();
            if moves {
                optimizer.move_to_cpu().unwrap();
                assert!(optimizer.step_gpu(&mut array, &gradients).is_err());
                optimizer.move_to_gpu().unwrap();
            }
        }
        assert_eq!(optimizer.step_count(), 5);
        array.mapv(f32::to_bits)
    };
    assert!(train(false) == train(true), "{} on {:?}", R::NAME, config.backend);
}

#[test]
fn moving_in_mid_training_does_not_change_a_bit() {
    for config in configs() {
        let momentum = SgdParams { momentum: 0.9, nesterov: true, ..SgdParams::default() };
        moves::<optirs_gpu::rules::Sgd>(momentum, config);
        moves::<optirs_gpu::rules::Adam>(AdamParams::default(), config);
        moves::<optirs_gpu::rules::AdamW>(AdamWParams::default(), config);
        moves::<optirs_gpu::rules::Rmsprop>(
            RmspropParams { centered: true, momentum: 0.5, ..Default::default() },
            config,
        );
        moves::<optirs_gpu::rules::Adagrad>(AdagradParams { initial_accumulator: 0.1, ..Default::default() }, config);
        moves::<optirs_gpu::rules::Lamb>(AdamParams::default().into(), config);
    }
}

#[test]
fn the_back_end_is_the_one_that_was_asked_for() {
    for config in configs() {
        let optimizer = GpuLamb::with_config(AdamParams::default(), config).unwrap();
        assert_eq!(Some(optimizer.backend()), config.backend);
        assert_eq!(optimizer.is_gpu_available(), config.backend != Some(GpuBackend::Cpu));
    }
    assert_ne!(GpuSgd::new(SgdParams::default()).unwrap().backend(), GpuBackend::Cpu, "never silently");
    for backend in [GpuBackend::Cuda, GpuBackend::Rocm, GpuBackend::OpenCL] {
        let refused = GpuAdam::with_config(AdamParams::default(), GpuOptimizerConfig::with_backend(backend));
        assert!(matches!(refused, Err(GpuOptimError::UnsupportedOperation(_))));
    }
    assert_eq!(SUPPORTED_BACKENDS, [GpuBackend::Wgpu, GpuBackend::Metal]);
}

#[test]
fn two_optimizers_of_one_configuration_share_a_device() {
    for config in configs().into_iter().skip(1) {
        let (one, two) = (adam(config, 0.1), adam(config, 0.2));
        assert!(one.device().is_some() && one.device() == two.device());
    }
}

#[test]
fn parameters_and_constants_are_those_of_before() {
    let defaults = AdamParams { learning_rate: 1e-3, beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weight_decay: 0.0 };
    assert_eq!(AdamParams::default(), defaults);
    assert_eq!(AdamParams::new(1e-3, 0.9, 0.999, 1e-8, 0.0).unwrap(), defaults);
    let defaults = SgdParams { learning_rate: 1e-2, momentum: 0.0, dampening: 0.0, weight_decay: 0.0, nesterov: false };
    assert_eq!(SgdParams::default(), defaults);
    let defaults = RmspropParams {
        learning_rate: 1e-2,
        alpha: 0.99,
        epsilon: 1e-8,
        weight_decay: 0.0,
        momentum: 0.0,
        centered: false,
    };
    assert_eq!(RmspropParams::default(), defaults);
    let defaults = AdagradParams {
        learning_rate: 1e-2,
        lr_decay: 0.0,
        epsilon: 1e-10,
        weight_decay: 0.0,
        initial_accumulator: 0.0,
    };
    assert_eq!(AdagradParams::default(), defaults);
    assert_eq!(GpuAdamW::new(AdamWParams::default()).unwrap().params().weight_decay, 0.01);
    assert_eq!(GpuAdamW::new(AdamParams::default()).unwrap().params().weight_decay, 0.0);
    assert_eq!(GpuLamb::new(AdamParams::default()).unwrap().params().epsilon, 1e-8);
    assert!(GpuRmsprop::new(RmspropParams::default()).is_ok());
    let decayed = AdagradParams { learning_rate: 0.5, lr_decay: 0.25, ..AdagradParams::default() };
    assert_eq!(GpuAdagrad::new(decayed).unwrap().next_effective_lr(), 0.5);
    assert_eq!(shaders::WORKGROUP_SIZE, 256);
    assert_eq!(OptimizerKernel::AdamW.source_for(GpuBackend::Wgpu), Some(shaders::wgsl::ADAMW));
    assert_eq!(OptimizerKernel::Lamb.source_for(GpuBackend::Metal), Some(shaders::msl::LAMB));
    assert_eq!(shaders::wgsl::ADAM, GpuAdam::WGSL);
}
