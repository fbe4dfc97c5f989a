use rand::{RngExt, SeedableRng, rngs::StdRng};
use scirs2_core::ndarray::arr1;

use super::super::{Fp8Format, IntDtype};
use super::*;

fn config(target: QuantTarget) -> QatConfig {
    QatConfig::new(target, QuantScheme::Symmetric, RoundingMode::Nearest, 0.01)
}

#[test]
fn every_target_trains_to_within_its_grid() {
    let mut rng = StdRng::seed_from_u64(3);
    let goal = Array1::from_shape_fn(16, |_| rng.random_range(-1.0..1.0));
    for (target, step) in [
        (QuantTarget::Int(IntDtype::Int8), 2.0 / 255.0),
        (QuantTarget::Int(IntDtype::Int4), 2.0 / 15.0),
        (QuantTarget::Fp8(Fp8Format::E4M3), 1.0 / 16.0),
        (QuantTarget::Fp8(Fp8Format::E5M2), 1.0 / 8.0),
    ] {
        for rounding in [RoundingMode::Nearest, RoundingMode::Stochastic] {
            let mut master = Array1::zeros(16);
            let config = QatConfig { rounding, ..config(target) };
            let mut optimizer = QatOptimizer::new(&master, config, &mut rng).unwrap();
            for _ in 0..600 {
                let gradient = optimizer.quantized_weights() - &goal;
                optimizer.step(&mut master, &gradient, &mut rng).unwrap();
            }
            let worst = (optimizer.quantized_weights() - &goal).iter().fold(0.0f64, |worst, x| worst.max(x.abs()));
            assert!(worst < 1.5 * step, "{config:?}: {worst}");
            assert_eq!(optimizer.step_count(), 600);
        }
    }
}

#[test]
fn master_weights_take_adamws_steps() {
    let mut rng = StdRng::seed_from_u64(0);
    let mut master = arr1(&[1.0, -0.5]);
    let config = QatConfig { weight_decay: 0.1, ..config(QuantTarget::Int(IntDtype::Int8)) };
    let mut optimizer = QatOptimizer::new(&master, config, &mut rng).unwrap();
    let gradients = [[0.1, -2.0], [0.3, 0.0], [-0.2, 1.0]];
    // Torch 2.15, AdamW in f64 with the same hyper-parameters.
    let expected = [
        [0.9890000009999999, -0.48950000005],
        [0.978833190219559, -0.48230991755597674],
        [0.9752753190977598, -0.4800549356713226],
    ];
    for (gradient, expected) in gradients.iter().zip(&expected) {
        optimizer.step(&mut master, &arr1(gradient), &mut rng).unwrap();
        assert!((&master - &arr1(expected)).iter().all(|error| error.abs() < 1e-14), "{master}");
        let grid = optimizer.quant_params().unwrap();
        assert_eq!(optimizer.quantized_weights(), fake_quant_int(&master, grid, RoundingMode::Nearest, &mut rng));
    }
}

#[test]
fn what_cannot_be_stepped_changes_nothing() {
    let mut rng = StdRng::seed_from_u64(0);
    let mut master = arr1(&[1.0, -1.0]);
    for target in [QuantTarget::Int(IntDtype::Int4), QuantTarget::Fp8(Fp8Format::E4M3)] {
        let mut optimizer = QatOptimizer::new(&master, config(target), &mut rng).unwrap();
        let before = (optimizer.quantized_weights().clone(), master.clone());
        for bad in [f64::NAN, f64::INFINITY] {
            let error = optimizer.step(&mut master, &arr1(&[0.0, bad]), &mut rng).unwrap_err();
            assert!(matches!(error, GpuOptimError::OutOfRange { field: "grad", .. }), "{error}");
        }
        let error = optimizer.step(&mut master, &arr1(&[0.0]), &mut rng).unwrap_err();
        assert!(matches!(error, GpuOptimError::DimensionMismatch { .. }));
        let mut infinite = arr1(&[f64::INFINITY, 0.0]);
        assert!(optimizer.step(&mut infinite, &arr1(&[0.0, 1.0]), &mut rng).is_err());
        assert_eq!((optimizer.quantized_weights(), &master), (&before.0, &before.1));
        assert_eq!(optimizer.step_count(), 0);
        assert!(QatOptimizer::new(&infinite, config(target), &mut rng).is_err());
    }
    let good = config(QuantTarget::Int(IntDtype::Int4));
    for (bad, field) in [
        (QatConfig { lr: -1.0, ..good }, "lr"),
        (QatConfig { beta1: 1.0, ..good }, "beta1"),
        (QatConfig { beta2: f64::NAN, ..good }, "beta2"),
        (QatConfig { eps: -1e-9, ..good }, "eps"),
        (QatConfig { weight_decay: f64::INFINITY, ..good }, "weight_decay"),
    ] {
        let error = QatOptimizer::new(&master, bad, &mut rng).unwrap_err();
        assert!(matches!(&error, GpuOptimError::OutOfRange { field: named, .. } if *named == field), "{error}");
    }
}
