//! Gradients are clipped by value, by the norm of each tensor and by the norm over all, and the norm can be read.

use optirs_gpu::{Clipping, Device, GpuOptimError, GpuSgd, ParamSet, SgdParams, StepOutcome};
use optirs_gpu_tests::devices;
use scirs2_core::ndarray::{Array1, arr1};

use crate::{noise, values};

/// What a step of gradient descent with rate 1 from 0 subtracts: the gradients as the rule saw them.
fn seen(device: &Device, gradients: &[&[f32]], clipping: Clipping) -> (Vec<Vec<f32>>, GpuSgd) {
    let names = (0..gradients.len()).map(|place| format!("t{place}"));
    let tensors = names.zip(gradients).map(|(name, gradient)| (name, Array1::<f32>::zeros(gradient.len())));
    let mut params = ParamSet::new(device, tensors).unwrap();
    let mut optimizer = GpuSgd::on(device, SgdParams { learning_rate: 1.0, ..SgdParams::default() }).unwrap();
    optimizer.set_clipping(clipping).unwrap();
    for (place, gradient) in gradients.iter().enumerate() {
        params.write_grad(&format!("t{place}"), &arr1(gradient)).unwrap();
    }
    optimizer.step(&mut params).unwrap();
    let all = params.names().map(|name| values(&params, name).iter().map(|value| -value).collect()).collect();
    (all, optimizer)
}

/// Within a few units of the last place, which WGSL's division and root may be off by.
fn close(found: &[Vec<f32>], expected: &[&[f32]]) -> bool {
    let pairs = found.iter().flatten().zip(expected.iter().copied().flatten());
    found.iter().map(Vec::len).eq(expected.iter().map(|tensor| tensor.len()))
        && pairs.into_iter().all(|(found, expected)| (found - expected).abs() <= 1e-6 * expected.abs())
}

#[test]
fn the_norm_over_all_tensors_is_clipped() {
    for device in devices::all() {
        let (found, mut optimizer) = seen(&device, &[&[3.0], &[4.0]], Clipping::GlobalNorm(1.0));
        assert!(close(&found, &[&[0.6], &[0.8]]), "{found:?} on {device}");
        assert!((optimizer.grad_norm().unwrap() - 5.0).abs() < 1e-5, "before clipping");
        assert_eq!(optimizer.last_step().unwrap(), StepOutcome::Taken);
        // A norm that is no larger than the limit is left alone, to the bit.
        let (found, _) = seen(&device, &[&[3.0], &[4.0]], Clipping::GlobalNorm(5.5));
        assert_eq!(found, [[3.0], [4.0]], "{device}");
        let (found, _) = seen(&device, &[&[3.0], &[], &[4.0]], Clipping::GlobalNorm(f32::MAX));
        assert_eq!(found, [vec![3.0], vec![], vec![4.0]], "{device}");
    }
}

#[test]
fn the_norm_of_each_tensor_is_clipped() {
    for device in devices::all() {
        let (found, mut optimizer) = seen(&device, &[&[3.0, 4.0], &[0.5], &[-4.0]], Clipping::TensorNorm(1.0));
        assert!(close(&found, &[&[0.6, 0.8], &[0.5], &[-1.0]]), "{found:?} on {device}");
        let norm = optimizer.grad_norm().unwrap();
        assert!((norm - 41.25f32.sqrt()).abs() < 1e-5, "of all of them: {norm}");
    }
}

#[test]
fn elements_are_clipped_and_a_nan_stays() {
    for device in devices::all() {
        let gradient = [3.0, -3.0, 0.25, -0.25, f32::INFINITY, f32::NEG_INFINITY];
        let (found, _) = seen(&device, &[&gradient], Clipping::Value(0.5));
        assert_eq!(found, [[0.5, -0.5, 0.25, -0.25, 0.5, -0.5]], "{device}");
        let (found, _) = seen(&device, &[&[3.0, -3.0]], Clipping::Value(0.0));
        assert_eq!(found, [[0.0, 0.0]], "{device}");
        let (found, _) = seen(&device, &[&[f32::NAN, 1.0]], Clipping::Value(2.0));
        assert!(found[0][0].is_nan() && found[0][1] == 1.0, "{found:?} on {device}");
    }
}

#[test]
fn edges_of_norms() {
    for device in devices::all() {
        for clipping in [Clipping::GlobalNorm(1.0), Clipping::TensorNorm(1.0)] {
            // Its square is no f32.
            let (found, mut optimizer) = seen(&device, &[&[1e30]], clipping);
            assert!(close(&found, &[&[1.0]]), "{found:?} on {device}");
            assert!((optimizer.grad_norm().unwrap() / 1e30 - 1.0).abs() < 1e-5);
            let (found, mut optimizer) = seen(&device, &[&[0.0, 0.0]], clipping);
            assert_eq!((found, optimizer.grad_norm().unwrap()), (vec![vec![0.0, 0.0]], 0.0), "{device}");
        }
        for clipping in [Clipping::GlobalNorm(0.0), Clipping::TensorNorm(0.0)] {
            let (found, _) = seen(&device, &[&[3.0, -1.0], &[0.0]], clipping);
            assert_eq!(found, [vec![0.0, 0.0], vec![0.0]], "{device}");
        }
        // Finite gradients whose norm is no f32, and gradients that are not finite.
        for gradient in [[f32::MAX, f32::MAX], [1.0, f32::NAN], [f32::NEG_INFINITY, 1.0]] {
            for clipping in [Clipping::GlobalNorm(1.0), Clipping::TensorNorm(1.0)] {
                let (found, mut optimizer) = seen(&device, &[&[1.0], &gradient], clipping);
                assert_eq!(optimizer.last_step().unwrap(), StepOutcome::Skipped, "{gradient:?} on {device}");
                assert_eq!((found, optimizer.step_count()), (vec![vec![0.0], vec![0.0, 0.0]], 0));
            }
        }
    }
}

#[test]
fn groups_scales_and_signs_come_before_the_norm() {
    for device in devices::all() {
        let mut params =
            ParamSet::new(&device, [("a", arr1(&[0.0f32])), ("b", arr1(&[0.0])), ("c", arr1(&[0.0]))]).unwrap();
        let mut optimizer = GpuSgd::on(&device, SgdParams { learning_rate: 1.0, ..SgdParams::default() }).unwrap();
        let group = optimizer.add_group(&params, *optimizer.params(), ["b"]).unwrap();
        optimizer.set_grad_scale(0.5).unwrap();
        optimizer.set_group_grad_scale(group, 2.0).unwrap();
        optimizer.set_group_maximize(group, true).unwrap();
        optimizer.set_clipping(Clipping::GlobalNorm(1.0)).unwrap();
        params.write_grad("a", &arr1(&[6.0])).unwrap();
        params.write_grad("b", &arr1(&[2.0])).unwrap();
        params.write_grad("c", &arr1(&[1e9])).unwrap();
        // Without a gradient, a tensor is not in the norm.
        params.set_grad_missing("c").unwrap();
        optimizer.step(&mut params).unwrap();
        assert!(close(&[values(&params, "a"), values(&params, "b")], &[&[-0.6], &[0.8]]), "{device}");
        assert_eq!(values(&params, "c"), [0.0]);
        // Another way of clipping, and other tensors, from one step to the next.
        optimizer.set_clipping(Clipping::TensorNorm(2.0)).unwrap();
        params.set_grad_present("c").unwrap();
        optimizer.step(&mut params).unwrap();
        assert!(close(&[values(&params, "a"), values(&params, "c")], &[&[-2.6], &[-2.0]]), "{device}");
        optimizer.set_clipping(Clipping::Off).unwrap();
        optimizer.step(&mut params).unwrap();
        assert!(close(&[values(&params, "a")], &[&[-5.6]]), "{device}");
    }
}

#[test]
fn many_tensors_have_the_norm_of_one() {
    for device in devices::all() {
        let whole = noise(50_000, 3).to_vec();
        let pieces: Vec<&[f32]> = whole.chunks(333).collect();
        let exact = whole.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt();
        for gradients in [vec![&whole[..]], pieces] {
            let (_, mut optimizer) = seen(&device, &gradients, Clipping::GlobalNorm(f32::MAX));
            let norm = f64::from(optimizer.grad_norm().unwrap());
            assert!((norm / exact - 1.0).abs() < 1e-5, "{norm} is not {exact} on {device}");
        }
    }
}

#[test]
fn a_norm_that_nothing_measured_is_an_error_that_says_how() {
    let (_, mut optimizer) = seen(&Device::cpu(), &[&[1.0]], Clipping::Off);
    let error = optimizer.grad_norm().unwrap_err();
    assert!(matches!(&error, GpuOptimError::InvalidState(text) if text.contains("GlobalNorm(f32::MAX)")), "{error}");
}
