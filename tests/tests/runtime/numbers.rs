//! Numbers at the edges: nothing divides by zero, nothing spreads, norms do not overflow, and powers have either sign.

use optirs_gpu::{
    AdagradParams, AdamParams, AdamWParams, Device, FtrlParams, GpuAdam, GpuLamb, LambParams, MadgradParams, Optimizer,
    PadamParams, ParamSet, RmspropParams, SgdParams, gpu_optimizer, rules,
};
use optirs_gpu_tests::devices;
use scirs2_core::ndarray::Array1;

use crate::{bits, noise, values};

/// Parameters before and after three steps with this gradient.
fn train<R: optirs_gpu::rule::Rule>(device: &Device, params: R::Params, gradient: &Array1<f32>) -> [Vec<f32>; 2] {
    let mut set = ParamSet::new(device, [("w", noise(gradient.len(), 3))]).unwrap();
    let mut optimizer = Optimizer::<R>::on(device, params).unwrap();
    let before = values(&set, "w");
    set.write_grad("w", gradient).unwrap();
    for _ in 0..3 {
        optimizer.step(&mut set).unwrap();
    }
    [before, values(&set, "w")]
}

#[test]
fn a_learning_rate_of_zero_leaves_the_bits_alone() {
    for device in devices::all() {
        let learning_rate = 0.0;
        stay::<rules::Sgd>(&device, SgdParams { learning_rate, ..Default::default() });
        stay::<rules::Sgd>(&device, SgdParams { learning_rate, momentum: 0.9, ..Default::default() });
        stay::<rules::Adam>(&device, AdamParams { learning_rate, ..Default::default() });
        stay::<rules::AdamW>(&device, AdamWParams { learning_rate, ..Default::default() });
        stay::<rules::Lamb>(&device, LambParams { learning_rate, ..Default::default() });
        stay::<rules::Rmsprop>(&device, RmspropParams { learning_rate, ..Default::default() });
        stay::<rules::Adagrad>(&device, AdagradParams { learning_rate, ..Default::default() });
        stay::<rules::Madgrad>(&device, MadgradParams { learning_rate, ..Default::default() });
        stay::<rules::Madgrad>(&device, MadgradParams { learning_rate, momentum: 0.0, ..Default::default() });
        stay::<rules::Ftrl>(&device, FtrlParams { learning_rate, ..Default::default() });
        stay::<rules::Padam>(&device, PadamParams { learning_rate, ..Default::default() });
    }
}

/// Parameters keep their bits: a zero of either sign, a subnormal and an infinite one, under gradients that make the
/// direction 0 of either sign, infinite and NaN.
fn stay<R: optirs_gpu::rule::Rule>(device: &Device, params: R::Params) {
    let before = Array1::from(vec![-0.0, 0.0, 1.5, -1e-40, f32::MAX, f32::NEG_INFINITY]);
    for gradient in [1.0, -1.0, 0.0, -0.0, 1e-42, f32::MAX, -f32::MAX, f32::INFINITY, f32::NAN] {
        let mut set = ParamSet::new(device, [("w", before.view())]).unwrap();
        let mut optimizer = Optimizer::<R>::on(device, params).unwrap();
        set.write_grad("w", &Array1::from_elem(before.len(), gradient)).unwrap();
        for _ in 0..3 {
            optimizer.step(&mut set).unwrap();
        }
        let bits_before: Vec<u32> = before.iter().map(|value| value.to_bits()).collect();
        assert_eq!(bits(&set, "w"), bits_before, "{} under {gradient:?} on {}", R::NAME, device.name());
    }
}

#[test]
fn a_gradient_of_zero_moves_nothing_even_without_epsilon() {
    for device in devices::all() {
        let gradient = Array1::zeros(3000);
        let check =
            |name: &str, [before, after]: [Vec<f32>; 2]| assert!(before == after, "{name} on {}", device.name());
        let epsilon = 0.0;
        check("sgd", train::<rules::Sgd>(&device, SgdParams::default(), &gradient));
        check("adam", train::<rules::Adam>(&device, AdamParams { epsilon, ..Default::default() }, &gradient));
        let params = AdamWParams { epsilon, weight_decay: 0.0, ..Default::default() };
        check("adamw", train::<rules::AdamW>(&device, params, &gradient));
        check("lamb", train::<rules::Lamb>(&device, LambParams { epsilon, ..Default::default() }, &gradient));
        for centered in [false, true] {
            let params = RmspropParams { epsilon, centered, ..Default::default() };
            check("rmsprop", train::<rules::Rmsprop>(&device, params, &gradient));
        }
        let params = AdagradParams { epsilon, ..Default::default() };
        check("adagrad", train::<rules::Adagrad>(&device, params, &gradient));
        for momentum in [0.0, 0.9] {
            let params = MadgradParams { epsilon, momentum, ..Default::default() };
            check("madgrad", train::<rules::Madgrad>(&device, params, &gradient));
        }
        check("ftrl", train::<rules::Ftrl>(&device, FtrlParams::default(), &gradient));
        check("padam", train::<rules::Padam>(&device, PadamParams { epsilon, ..Default::default() }, &gradient));
    }
}

#[test]
fn a_nan_or_infinity_stays_with_its_element_or_its_tensor() {
    for device in devices::all() {
        for wrong in [f32::NAN, f32::INFINITY] {
            let mut gradient = noise(3000, 9);
            gradient[1234] = wrong;
            let [_, expected] = train::<rules::Adam>(&device, AdamParams::default(), &noise(3000, 9));
            let [_, actual] = train::<rules::Adam>(&device, AdamParams::default(), &gradient);
            let differing = expected.iter().zip(&actual).filter(|(a, b)| a.to_bits() != b.to_bits()).count();
            assert_eq!(differing, 1, "on {}", device.name());
            assert!(!actual[1234].is_finite() || expected[1234] != actual[1234]);

            let run = |gradient: &Array1<f32>| {
                let mut set = ParamSet::new(&device, [("a", noise(3000, 3)), ("b", noise(9000, 4))]).unwrap();
                let mut optimizer = GpuLamb::on(&device, LambParams::default()).unwrap();
                set.write_grad("a", gradient).unwrap();
                set.write_grad("b", &noise(9000, 5)).unwrap();
                optimizer.step(&mut set).unwrap();
                bits(&set, "b")
            };
            assert!(run(&gradient) == run(&noise(3000, 9)), "the other tensor is unmoved by it");
        }
    }
}

/// Squares of 2¹⁰⁰ overflow: LAMB steps parameters of that size as it does small ones, scaled.
#[test]
fn a_norm_is_finite_where_its_squares_are_not() {
    for device in devices::all() {
        let stepped = |scale: f32| {
            let mut set = ParamSet::new(&device, [("w", noise(3000, 3) * scale)]).unwrap();
            let params = LambParams { weight_decay: 0.0, ..Default::default() };
            let mut optimizer = GpuLamb::on(&device, params).unwrap();
            set.write_grad("w", &noise(3000, 4)).unwrap();
            optimizer.step(&mut set).unwrap();
            values(&set, "w")
        };
        let scale = 2.0_f32.powi(100);
        for (small, large) in stepped(1.0).into_iter().zip(stepped(scale)) {
            assert!((large / scale - small).abs() < 1e-6, "{small} and {large} on {}", device.name());
        }
    }
}

/// Powers of each gradient and of the largest one, with exponents from -3 on.
#[gpu_optimizer]
pub mod powers {
    pub struct PowersParams {
        #[hyper(default = 0)]
        pub exponent_and_three: u32,
    }
    fn update(param: &mut f32, grad: f32, hyper: &PowersParams) {
        let exponent = hyper.exponent_and_three - 3;
        *param = grad.powi(exponent) + max_abs(grad).powi(exponent);
    }
}

#[test]
fn whole_powers_of_either_sign_and_of_zero() {
    let gradients = [2.0, -0.5, 1.25, 4.0];
    for (device, exponent) in devices::all().iter().flat_map(|device| (-3..=5).map(move |exponent| (device, exponent)))
    {
        let mut set = ParamSet::new(device, [("w", Array1::zeros(gradients.len()))]).unwrap();
        let params = powers::PowersParams { exponent_and_three: (exponent + 3) as u32 };
        let mut optimizer = powers::GpuPowers::on(device, params).unwrap();
        set.write_grad("w", &Array1::from(gradients.to_vec())).unwrap();
        optimizer.step(&mut set).unwrap();
        for (gradient, actual) in gradients.into_iter().zip(values(&set, "w")) {
            let expected = gradient.powi(exponent) + 4_f32.powi(exponent);
            let error = (actual - expected).abs() / expected.abs();
            assert!(error < 1e-6, "{gradient}^{exponent} + 4^{exponent} = {actual} on {}", device.name());
        }
    }
}

#[test]
fn a_lost_device_fails_the_step_and_counts_nothing() {
    let Some(device) = devices::gpu(Default::default()) else { return };
    let mut params = ParamSet::new(&device, [("w", noise(1000, 1))]).unwrap();
    params.write_grad("w", &noise(1000, 2)).unwrap();
    let mut optimizer = GpuAdam::on(&device, AdamParams::default()).unwrap();
    optimizer.step(&mut params).unwrap();
    let (raw, _) = device.wgpu().unwrap();
    raw.destroy();
    assert!(optimizer.step(&mut params).is_err());
    assert_eq!(optimizer.step_count(), 1);
    assert_eq!(optimizer.tensor_step_count("w").unwrap(), 1);
    assert!(params.write_grad("w", &noise(1000, 3)).is_err());
    assert!(params.read("w").is_err());
    assert!(optimizer.move_to_cpu().is_err());
}
