//! Gradients of micro-batches are summed on the device.

use optirs_gpu::{Device, GpuOptimError, GpuSgd, GradientAccumulator, ParamSet, SgdParams};
use optirs_gpu_tests::devices;
use scirs2_core::ndarray::{Array1, arr1};

use crate::{noise, values};

#[test]
fn micro_batches_are_one_batch() {
    for device in devices::all() {
        let tensors = [("a", noise(20_000, 1)), ("b", noise(3, 2)), ("none", Array1::zeros(0))];
        let mut params = ParamSet::new(&device, tensors).unwrap();
        let mut gradients = GradientAccumulator::new(&params).unwrap();
        // Rounds of which each begins anew, and a tensor that joins.
        for round in 0..3 {
            let mut expected = vec![0.0f32; 20_000];
            for batch in 0..4 {
                let gradient = noise(20_000, 10 * round + batch);
                expected.iter_mut().zip(&gradient).for_each(|(sum, value)| *sum += value);
                params.write_grad("a", &gradient).unwrap();
                params.write_grad("b", &arr1(&[1.0, 2.0, 4.0])).unwrap();
                if round == 1 {
                    params.add(format!("late{batch}"), &arr1(&[0.0])).unwrap();
                    params.write_grad(&format!("late{batch}"), &arr1(&[8.0])).unwrap();
                }
                gradients.add(&params).unwrap();
            }
            assert_eq!(gradients.micro_batches(), 4);
            gradients.mean_into(&mut params).unwrap();
            expected.iter_mut().for_each(|sum| *sum *= 0.25);
            let found = params.read_grad("a").unwrap().into_raw_vec_and_offset().0;
            assert!(found == expected, "round {round} on {device}");
            assert_eq!(params.read_grad("b").unwrap(), arr1(&[1.0, 2.0, 4.0]).into_dyn());
            if round == 1 {
                // In four, three, two and one of the four.
                let late = |batch: u32| params.read_grad(&format!("late{batch}")).unwrap()[[0]];
                assert_eq!([0, 1, 2, 3].map(late), [8.0, 6.0, 4.0, 2.0], "{device}");
            }
            assert_eq!(gradients.micro_batches(), 0);
        }
    }
}

#[test]
fn a_gradient_that_is_not_finite_does_not_outlive_its_round() {
    for device in devices::all() {
        let mut params = ParamSet::new(&device, [("w", arr1(&[1.0f32, 2.0]))]).unwrap();
        let mut gradients = GradientAccumulator::new(&params).unwrap();
        params.write_grad("w", &arr1(&[f32::NAN, f32::INFINITY])).unwrap();
        gradients.add(&params).unwrap();
        gradients.sum_into(&mut params).unwrap();
        assert!(params.read_grad("w").unwrap()[[0]].is_nan());
        params.write_grad("w", &arr1(&[1.0, 2.0])).unwrap();
        gradients.add(&params).unwrap();
        gradients.add(&params).unwrap();
        gradients.sum_into(&mut params).unwrap();
        assert_eq!(params.read_grad("w").unwrap(), arr1(&[2.0, 4.0]).into_dyn(), "{device}");
    }
}

#[test]
fn tensors_without_a_gradient_have_none_afterwards() {
    for device in devices::all() {
        let names = ["some", "never", "frozen"];
        let mut params = ParamSet::new(&device, names.map(|name| (name, arr1(&[1.0f32])))).unwrap();
        let mut gradients = GradientAccumulator::new(&params).unwrap();
        params.write_grad("frozen", &arr1(&[5.0])).unwrap();
        params.freeze("frozen").unwrap();
        for has in [true, false, true] {
            params.write_grad("some", &arr1(&[3.0])).unwrap();
            if !has {
                params.set_grad_missing("some").unwrap();
            }
            gradients.add(&params).unwrap();
        }
        gradients.mean_into(&mut params).unwrap();
        assert_eq!(names.map(|name| params.has_grad(name).unwrap()), [true, false, false]);
        let mut optimizer = GpuSgd::on(&device, SgdParams { learning_rate: 1.0, ..SgdParams::default() }).unwrap();
        optimizer.step(&mut params).unwrap();
        assert!((values(&params, "some")[0] + 1.0).abs() < 1e-6, "{device}");
        assert_eq!([values(&params, "never"), values(&params, "frozen")], [[1.0], [1.0]]);
    }
}

#[test]
fn nothing_added_and_another_set_are_errors() {
    let device = Device::cpu();
    let mut params = ParamSet::new(&device, [("w", arr1(&[1.0f32]))]).unwrap();
    let mut gradients = GradientAccumulator::new(&params).unwrap();
    let error = gradients.mean_into(&mut params).unwrap_err();
    assert!(matches!(&error, GpuOptimError::InvalidState(text) if text.contains("`add`")), "{error}");
    let other = ParamSet::new(&device, [("w", arr1(&[1.0f32]))]).unwrap();
    assert!(gradients.add(&other).unwrap_err().to_string().contains("another `ParamSet`"));
}
