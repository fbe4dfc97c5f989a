//! Cases that other libraries get wrong, one test each, on the CPU and on the GPU if there is one.

use optimizer_specs::{compile, parse};
use optirs_gpu::ndarray::{Array1, arr1};
use optirs_gpu::rule::{RowContext, Rule};
use optirs_gpu::rules::{
    Adagrad, AdagradParams, Adam, AdamParams, AdamW, AdamWParams, AmsGrad, AmsGradParams, Lamb, LambParams, Lion,
    LionParams, Rmsprop, RmspropParams, Rprop, RpropParams, Sgd, SgdParams,
};
use optirs_gpu::{Device, GpuOptimError, Optimizer, ParamSet};
use optirs_gpu_tests::devices;
use optirs_gpu_tests::rules::options::{Options, OptionsParams};

/// A set of one number, and its optimizer.
struct Training<R: Rule> {
    params: ParamSet,
    optimizer: Optimizer<R>,
}

impl<R: Rule> Training<R> {
    fn new(device: &Device, start: f32, params: R::Params) -> Self {
        let optimizer = Optimizer::on(device, params).unwrap();
        Self { params: ParamSet::new(device, [("w", arr1(&[start]))]).unwrap(), optimizer }
    }

    /// The parameter after a step with this gradient.
    fn step(&mut self, gradient: f32) -> f32 {
        self.params.write_grad("w", &arr1(&[gradient])).unwrap();
        self.optimizer.step(&mut self.params).unwrap();
        self.params.read("w").unwrap()[[0]]
    }
}

/// The parameter after a first step.
fn first_step<R: Rule>(device: &Device, start: f32, gradient: f32, params: R::Params) -> f32 {
    Training::<R>::new(device, start, params).step(gradient)
}

fn assert_near(value: f32, expected: f32) {
    assert!((value - expected).abs() <= 1e-6 * expected.abs().max(1.0), "{value} instead of {expected}");
}

#[test]
fn decay_comes_before_the_update_in_adamw() {
    for device in devices::all() {
        let params = AdamWParams { learning_rate: 0.1, weight_decay: 0.5, ..Default::default() };
        assert_near(first_step::<AdamW>(&device, 1.0, 1.0, params), 0.85);
    }
}

#[test]
fn lions_decay_is_decoupled() {
    for device in devices::all() {
        let params = LionParams { learning_rate: 0.1, weight_decay: 0.1, ..Default::default() };
        assert_near(first_step::<Lion>(&device, 10.0, -0.1, params), 10.0);
    }
}

#[test]
fn lion_does_not_move_where_the_gradient_is_0() {
    for device in devices::all() {
        for zero in [0.0, -0.0] {
            let params = LionParams { learning_rate: 0.1, ..Default::default() };
            assert_eq!(first_step::<Lion>(&device, 1.0, zero, params), 1.0);
        }
    }
}

#[test]
fn amsgrads_maximum_never_falls() {
    for device in devices::all() {
        let mut training = Training::<AmsGrad>::new(&device, 1.0, AmsGradParams::default());
        training.step(10.0);
        let first = training.optimizer.state("v_max", "w").unwrap()[[0]];
        assert_near(first, 0.1);
        training.step(0.1);
        assert_eq!(training.optimizer.state("v_max", "w").unwrap()[[0]].to_bits(), first.to_bits());
        assert!(training.optimizer.state("v", "w").unwrap()[[0]] < first);
    }
}

#[test]
fn a_learning_rate_of_0_moves_nothing_and_a_tiny_one_keeps_numbers_finite() {
    for device in devices::all() {
        for gradient in [0.0, 1.0] {
            let rate = |learning_rate| AdamWParams { learning_rate, ..Default::default() };
            assert_eq!(first_step::<AdamW>(&device, 1.0, gradient, rate(0.0)), 1.0);
            assert!(first_step::<AdamW>(&device, 1.0, gradient, rate(1e-38)).is_finite());
        }
    }
}

#[test]
fn without_epsilon_a_gradient_of_0_moves_nothing() {
    for device in devices::all() {
        let params = AdagradParams { learning_rate: 0.1, epsilon: 0.0, ..Default::default() };
        assert_eq!(first_step::<Adagrad>(&device, 1.0, 0.0, params), 1.0);
    }
}

#[test]
fn lambs_trust_ratio_is_1_where_a_norm_is_0() {
    for device in devices::all() {
        let params = LambParams { learning_rate: 0.1, epsilon: 0.0, weight_decay: 0.0, ..Default::default() };
        // Of the parameter: Adam's first step, the learning rate.
        assert_near(first_step::<Lamb>(&device, 0.0, 1.0, params), -0.1);
        // Of the update.
        assert_eq!(first_step::<Lamb>(&device, 1.0, 0.0, params), 1.0);
    }
}

#[test]
fn centered_rmsprop_takes_no_root_of_a_negative_number() {
    for device in devices::all() {
        let params = RmspropParams { learning_rate: 1e-3, alpha: 0.5, centered: true, ..Default::default() };
        let mut training = Training::<Rmsprop>::new(&device, 1.0, params);
        let last = (0..100).map(|_| training.step(0.805_149_5)).last().unwrap();
        assert!(last.is_finite(), "{last}");
    }
}

#[test]
fn rprops_step_grows_from_the_second_step_on() {
    for device in devices::all() {
        let mut training =
            Training::<Rprop>::new(&device, 0.0, RpropParams { learning_rate: 0.1, ..Default::default() });
        for expected in [-0.1, -0.22, -0.364] {
            assert_near(training.step(1.0), expected);
        }
    }
}

#[test]
fn an_empty_tensor_is_skipped_wherever_it_stands() {
    for device in devices::all() {
        let (one, empty) = (arr1(&[1.0_f32]), Array1::<f32>::zeros(0));
        for full_first in [true, false] {
            let tensors = if full_first { [("w", &one), ("none", &empty)] } else { [("none", &empty), ("w", &one)] };
            let mut params = ParamSet::new(&device, tensors.map(|(name, tensor)| (name, tensor.view()))).unwrap();
            let hyper = AdamParams { learning_rate: 0.1, ..Default::default() };
            let mut optimizer = Optimizer::<Adam>::on(&device, hyper).unwrap();
            params.write_grad("w", &one).unwrap();
            params.write_grad("none", &empty).unwrap();
            optimizer.step(&mut params).unwrap();
            assert_near(params.read("w").unwrap()[[0]], 0.9);
            assert!(params.read("none").unwrap().is_empty());
        }
    }
}

#[test]
fn steps_are_counted_exactly_beyond_what_f32_holds() {
    // The rule reads the rest of the step's division by 5.
    let params = OptionsParams { period: 5, ..Default::default() };
    let variant = Options::variant(&params).unwrap();
    let row = |step: u64| {
        let context = RowContext {
            params: &params,
            step,
            run: step,
            shape: &[1],
            all_len: 1,
            scalars: &[],
            grad_scale: 1.0,
            clip_value: f64::INFINITY,
        };
        let mut words = vec![0; Options::VARIANTS[variant].programs[0].row_words];
        Options::row(variant, 0, &context, &mut [], &mut words).unwrap();
        words
    };
    let last = 1 << 24; // 2^24 and 2^24 + 1 are the same f32.
    assert_ne!(row(last), row(last + 1));
    assert_eq!(row(last + 1), row(last + 6));
}

#[test]
fn more_buffers_than_a_target_binds_are_an_error_of_the_compiler() {
    let source = "#[gpu_optimizer]
        mod many {
            pub struct ManyParams {}
            fn update(param: &mut f32, grad: f32, hyper: &ManyParams, #[input] a: f32, #[input] b: f32,
                #[input] c: f32, #[input] d: f32, #[input] e: f32) {
                *param -= grad + a + b + c + d + e;
            }
        }";
    let (attribute, item) = parse::parse_file(source).unwrap().remove(0);
    let errors = format!("{:?}", compile::compile(attribute, item).map(|_| ()).unwrap_err());
    assert!(errors.contains("`update_pass1` binds 10 buffers; WGSL allows 8"), "{errors}");
}

#[test]
fn a_hyper_parameter_out_of_range_is_named() {
    let named = |result: Result<(), GpuOptimError>, field: &str| {
        let text = result.unwrap_err().to_string();
        assert!(text.starts_with(field), "{text}");
    };
    for device in devices::all() {
        let adam = |params| Optimizer::<Adam>::on(&device, params).map(|_| ());
        named(adam(AdamParams { beta1: 1.0, ..Default::default() }), "beta1 = 1 ");
        named(adam(AdamParams { weight_decay: -1.0, ..Default::default() }), "weight_decay = -1 ");
        named(adam(AdamParams { learning_rate: f32::NAN, ..Default::default() }), "learning_rate = NaN ");
    }
}

#[test]
fn without_a_gradient_nothing_decays() {
    for device in devices::all() {
        let params = AdamWParams { weight_decay: 0.5, ..Default::default() };
        let mut training = Training::<AdamW>::new(&device, 1.0, params);
        training.optimizer.step(&mut training.params).unwrap();
        assert_eq!(training.params.read("w").unwrap()[[0]], 1.0);
    }
}

#[test]
fn a_tensor_counts_the_steps_that_it_took_alone() {
    for device in devices::all() {
        let params = AdamWParams { learning_rate: 0.1, weight_decay: 0.0, ..Default::default() };
        let mut training = Training::<AdamW>::new(&device, 1.0, params);
        let mut beside = ParamSet::new(&device, [("w", arr1(&[1.0])), ("other", arr1(&[1.0]))]).unwrap();
        let mut optimizer = Optimizer::<AdamW>::on(&device, params).unwrap();
        for gradient in [Some(0.5), None, Some(-1.0)] {
            beside.write_grad("other", &arr1(&[1.0])).unwrap();
            match gradient {
                Some(gradient) => beside.write_grad("w", &arr1(&[gradient])).unwrap(),
                None => beside.set_grad_missing("w").unwrap(),
            }
            optimizer.step(&mut beside).unwrap();
            gradient.map(|gradient| training.step(gradient));
        }
        let last = beside.read("w").unwrap()[[0]];
        // With a counter of all tensors it would be 0.93142862.
        assert_near(last, 0.936_610_35);
        assert_eq!(last, training.params.read("w").unwrap()[[0]]);
    }
}

#[test]
fn plain_sgd_takes_its_first_gradient_undampened() {
    for device in devices::all() {
        let params = SgdParams { learning_rate: 1.0, momentum: 0.9, dampening: 0.5, ..Default::default() };
        assert_eq!(first_step::<Sgd>(&device, 1.0, 0.5, params), 0.5);
    }
}
