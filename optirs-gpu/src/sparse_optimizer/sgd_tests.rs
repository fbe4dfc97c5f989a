use proptest::prelude::*;
use scirs2_core::ndarray::arr1;

use super::*;

/// torch's SGD on one parameter.
fn dense(config: &SparseSgdConfig, start: f64, gradients: &[f64]) -> f64 {
    let (mut param, mut buffer) = (start, 0.0);
    for gradient in gradients {
        let gradient = gradient + config.weight_decay * param;
        buffer = config.momentum * buffer + gradient;
        let direction = if config.nesterov { gradient + config.momentum * buffer } else { buffer };
        param -= config.lr * direction;
    }
    param
}

proptest! {
    #[test]
    fn a_parameter_moves_as_in_a_dense_sgd_over_the_steps_that_touch_it(
        steps in proptest::collection::vec(proptest::collection::btree_map(0usize..6, -2.0f64..2.0, 0..6), 0..20),
        momentum in prop::sample::select(vec![0.0, 0.9]),
        nesterov: bool,
        weight_decay in prop::sample::select(vec![0.0, 0.1]),
    ) {
        let config = SparseSgdConfig { lr: 0.1, weight_decay, momentum, nesterov: nesterov && momentum > 0.0 };
        let mut params = Array1::linspace(-1.0, 1.0, 6);
        let mut table = params.clone().into_shape_with_order((3, 2)).unwrap();
        let (mut vector_steps, mut table_steps) = (SparseSgd::new(config), SparseSgdTable::new(config));
        let start = params.clone();
        for entries in &steps {
            let (indices, values) = entries.iter().map(|(index, value)| (*index, *value)).unzip();
            let gradient = CooGradient::new(indices, values, 6).unwrap();
            vector_steps.step(&mut params, &gradient).unwrap();
            table_steps.step(&mut table, &CsrGradient::from_coo(&gradient, (3, 2)).unwrap()).unwrap();
        }
        for (index, param) in params.iter().enumerate() {
            let gradients: Vec<f64> = steps.iter().filter_map(|entries| entries.get(&index).copied()).collect();
            let expected = dense(&config, start[index], &gradients);
            prop_assert!((param - expected).abs() < 1e-12, "{param} {expected}");
            prop_assert_eq!(*param, table[(index / 2, index % 2)]);
        }
    }
}

#[test]
fn misfits_change_nothing() {
    let good = SparseSgdConfig::default();
    let mut params = arr1(&[1.0]);
    let gradient = CooGradient::new(vec![0], vec![1.0], 1).unwrap();
    for (bad, word) in [
        (SparseSgdConfig { lr: -1.0, ..good }, "lr"),
        (SparseSgdConfig { weight_decay: f64::NAN, ..good }, "weight_decay"),
        (SparseSgdConfig { momentum: 1.0, ..good }, "momentum"),
        (SparseSgdConfig { nesterov: true, ..good }, "nesterov"),
    ] {
        let error = SparseSgd::new(bad).step(&mut params, &gradient).unwrap_err();
        assert!(error.to_string().contains(word), "{error}");
    }
    let error = SparseSgd::new(good).step(&mut params, &CooGradient::empty(2)).unwrap_err();
    assert!(matches!(error, GpuOptimError::DimensionMismatch { .. }));
    assert_eq!(params, arr1(&[1.0]));
}
