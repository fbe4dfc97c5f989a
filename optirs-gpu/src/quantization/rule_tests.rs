use rand::{RngExt, SeedableRng, rngs::StdRng};
use scirs2_core::ndarray::{Array1, Array2, arr1};

use super::super::{Fp8Format, IntDtype, per_channel_params};
use super::*;
use crate::rules::{Adam, Lamb, Lion, Prodigy};
use crate::{Device, GpuAdam};

const INT8: WeightQuantization = WeightQuantization {
    target: QuantTarget::Int(IntDtype::Int8),
    scheme: QuantScheme::Affine,
    rounding: RoundingMode::Nearest,
    channel_axis: Some(1),
};

fn set() -> ParamSet {
    let w = Array2::from_shape_fn((4, 3), |(row, column)| (row as f32 - 1.4) * 0.3 + column as f32 * 0.11);
    let mut params = ParamSet::new(&Device::cpu(), [("w", w)]).unwrap();
    params.add("b", &arr1(&[0.5f32, -0.25])).unwrap();
    params
}

/// Masters take the rule's own steps, bit by bit, and the quantized weights are those of the masters.
fn follows_the_rule<R: Rule>()
where
    R::Params: Default,
{
    let mut rng = StdRng::seed_from_u64(5);
    let (mut params, mut plain) = (set(), set());
    let mut optimizer = Optimizer::<R>::on(plain.device(), R::Params::default()).unwrap();
    let wrapped = Optimizer::<R>::on(params.device(), R::Params::default()).unwrap();
    let mut training = Qat::new(wrapped, &params, INT8, ["w"], &mut rng).unwrap();
    for _ in 0..5 {
        let gradient = training.quantized_weights("w").unwrap().mapv(|w| w - 0.3);
        for set in [&mut params, &mut plain] {
            set.write_grad("w", &gradient).unwrap();
            set.write_grad("b", &arr1(&[1.0, -2.0])).unwrap();
        }
        training.step(&mut params, &mut rng).unwrap();
        optimizer.step(&mut plain).unwrap();
        for name in ["w", "b"] {
            assert_eq!(params.read(name).unwrap(), plain.read(name).unwrap(), "{}", R::NAME);
        }
        let master = params.read("w").unwrap().mapv(f64::from).into_dimensionality().unwrap();
        let grids = per_channel_params(&master, 1, IntDtype::Int8, QuantScheme::Affine).unwrap();
        assert_eq!(training.quant_params("w").unwrap(), grids);
        let expected =
            super::super::fake_quant_int_per_channel(&master, &grids, 1, RoundingMode::Nearest, &mut rng).unwrap();
        assert_eq!(training.quantized_weights("w").unwrap(), &expected.mapv(|w| w as f32).into_dyn());
    }
    assert_eq!(training.optimizer().step_count(), 5);
}

#[test]
fn masters_follow_any_rule() {
    follows_the_rule::<Adam>();
    follows_the_rule::<Lion>();
    follows_the_rule::<Lamb>();
    follows_the_rule::<Prodigy>();
}

#[test]
fn stochastic_int4_trains_where_updates_are_below_a_step() {
    let mut rng = StdRng::seed_from_u64(11);
    let goal = Array1::from_shape_fn(32, |_| rng.random_range(-1.0f32..1.0));
    for rounding in [RoundingMode::Nearest, RoundingMode::Stochastic] {
        let mut params = ParamSet::new(&Device::cpu(), [("w", Array1::zeros(32))]).unwrap();
        let hyper = crate::AdamParams { learning_rate: 0.01, ..Default::default() };
        let adam = GpuAdam::on(params.device(), hyper).unwrap();
        let int4 = WeightQuantization {
            target: QuantTarget::Int(IntDtype::Int4),
            scheme: QuantScheme::Symmetric,
            rounding,
            channel_axis: None,
        };
        let mut training = Qat::new(adam, &params, int4, ["w"], &mut rng).unwrap();
        for _ in 0..400 {
            let quantized = training.quantized_weights("w").unwrap().clone();
            params.write_grad("w", &(quantized - goal.view().into_dyn())).unwrap();
            training.step(&mut params, &mut rng).unwrap();
        }
        let errors = training.quantized_weights("w").unwrap() - &goal.view().into_dyn();
        let worst = errors.iter().fold(0.0f32, |worst, x| worst.max(x.abs()));
        assert!(worst < 1.5 / 7.0, "{rounding:?}: {worst}");
    }
}

#[test]
fn errors_name_what_was_wrong() {
    let mut rng = StdRng::seed_from_u64(0);
    let params = set();
    let mut make = |quantization, names: &[&str]| {
        let adam = Optimizer::<Adam>::on(params.device(), crate::AdamParams::default()).unwrap();
        Qat::new(adam, &params, quantization, names.iter().copied(), &mut rng)
    };
    assert!(matches!(make(INT8, &["v"]).unwrap_err(), GpuOptimError::UnknownTensor(name) if name == "v"));
    assert!(matches!(make(INT8, &["w", "w"]).unwrap_err(), GpuOptimError::DuplicateTensor(name) if name == "w"));
    assert!(matches!(make(INT8, &["b"]).unwrap_err(), GpuOptimError::OutOfRange { field: "axis", .. }));
    let fp8 = WeightQuantization { target: QuantTarget::Fp8(Fp8Format::E5M2), ..INT8 };
    assert!(make(fp8, &["w"]).unwrap_err().to_string().contains("channel_axis"));
    let whole = WeightQuantization { channel_axis: None, ..fp8 };
    let training = make(whole, &["w", "b"]).unwrap();
    assert!(training.quant_params("b").unwrap().is_empty());
    assert_eq!(training.quantized_weights("b").unwrap(), &arr1(&[0.5f32, -0.25]).into_dyn());
    let some = make(whole, &["w"]).unwrap();
    assert!(matches!(some.quantized_weights("b"), Err(GpuOptimError::UnknownTensor(_))));
}

#[test]
fn a_diverged_master_is_an_error_and_the_quantized_weights_stay() {
    let mut rng = StdRng::seed_from_u64(0);
    let mut params = set();
    let adam = Optimizer::<Adam>::on(params.device(), crate::AdamParams::default()).unwrap();
    let mut training = Qat::new(adam, &params, INT8, ["w"], &mut rng).unwrap();
    let before = training.quantized_weights("w").unwrap().clone();
    params.write("w", &Array2::from_elem((4, 3), f32::NAN)).unwrap();
    let error = training.requantize(&params, &mut rng).unwrap_err();
    assert!(matches!(error, GpuOptimError::OutOfRange { .. }), "{error}");
    assert_eq!(training.quantized_weights("w").unwrap(), &before);
    params.write("w", &Array2::ones((4, 3))).unwrap();
    training.requantize(&params, &mut rng).unwrap();
    assert_eq!(training.quantized_weights("w").unwrap(), &Array2::<f32>::ones((4, 3)).into_dyn());
}
