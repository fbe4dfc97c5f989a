//! Dormant rows against Adam on gradients of 0, and what a step touches. What torch says is in the cross-crate tests.

use std::collections::HashMap;

use proptest::prelude::*;
use scirs2_core::ndarray::{Array1, arr1, arr2};

use super::*;
use crate::sparse_optimizer::dormancy::{Moments, Update};

/// Adam as in its paper, Algorithm 1, on a vector.
struct Dense {
    moments: Vec<(f64, f64)>,
    steps: i32,
}

impl Dense {
    fn step(&mut self, config: &SparseAdamConfig, params: &mut [f64], gradients: &[f64]) {
        self.steps += 1;
        let SparseAdamConfig { lr, beta1, beta2, epsilon, .. } = *config;
        for ((param, gradient), (m, v)) in params.iter_mut().zip(gradients).zip(&mut self.moments) {
            *m = beta1 * *m + (1.0 - beta1) * gradient;
            *v = beta2 * *v + (1.0 - beta2) * gradient * gradient;
            let (m_hat, v_hat) = (*m / (1.0 - beta1.powi(self.steps)), *v / (1.0 - beta2.powi(self.steps)));
            *param -= if *m == 0.0 { 0.0 } else { lr * m_hat / (v_hat.sqrt() + epsilon) };
        }
    }
}

proptest! {
    #[test]
    fn dormancy_is_adam_on_gradients_of_zero(
        touched in proptest::collection::vec(
            (0usize..400, proptest::collection::btree_map(0usize..4, -2.0f64..2.0, 0..4)), 1..5,
        ),
        beta1 in prop::sample::select(vec![0.0, 0.5, 0.9, 0.99]),
        beta2 in prop::sample::select(vec![0.0, 0.5, 0.99, 0.999]),
        epsilon in prop::sample::select(vec![1e-8, 1e-3]),
    ) {
        let config =
            SparseAdamConfig { lr: 0.01, beta1, beta2, epsilon, mode: LazyAdamMode::DormancyDecay, ..Default::default() };
        let mut params = arr1(&[1.0, -1.0, 0.0, 0.5]);
        let mut dense_params = params.to_vec();
        let mut dense = Dense { moments: vec![(0.0, 0.0); 4], steps: 0 };
        let mut optimizer = SparseAdam::new(config);
        for (pause, entries) in touched {
            let (indices, values): (Vec<_>, Vec<_>) = entries.into_iter().unzip();
            let gradient = CooGradient::new(indices, values, 4).unwrap();
            let mut whole = [0.0; 4];
            gradient.iter().for_each(|(index, value)| whole[index] = value);
            optimizer.step(&mut params, &gradient).unwrap();
            dense.step(&config, &mut dense_params, &whole);
            for _ in 0..pause {
                optimizer.step(&mut params, &CooGradient::empty(4)).unwrap();
                dense.step(&config, &mut dense_params, &[0.0; 4]);
            }
        }
        optimizer.catch_up(&mut params).unwrap();
        for (ours, theirs) in params.iter().zip(&dense_params) {
            prop_assert!((ours - theirs).abs() <= 1e-11 * theirs.abs().max(1.0), "{ours} {theirs}");
        }
        let before = params.clone();
        optimizer.catch_up(&mut params).unwrap();
        prop_assert_eq!(params, before);
    }
}

#[test]
fn a_long_dormancy_costs_no_more_than_a_few_hundred_steps() {
    let config = SparseAdamConfig { mode: LazyAdamMode::DormancyDecay, ..Default::default() };
    let mut optimizer = SparseAdam::new(config);
    let mut params = arr1(&[1.0]);
    optimizer.step(&mut params, &CooGradient::new(vec![0], vec![1.0], 1).unwrap()).unwrap();
    // Step by step this would take minutes.
    optimizer.rows.steps = 1_000_000_000;
    optimizer.catch_up(&mut params).unwrap();
    // Σ lr·(β₁ᵏ m/(1 − β₁ᵏ⁺¹)) / √(β₂ᵏ v/(1 − β₂ᵏ⁺¹)), which has converged after a thousand terms.
    let term = |k: i32| {
        1e-3 * 0.1 * 0.9f64.powi(k)
            / (1.0 - 0.9f64.powi(k + 1))
            / ((1e-3 * 0.999f64.powi(k) / (1.0 - 0.999f64.powi(k + 1))).sqrt() + 1e-8)
    };
    let expected = 1.0 - (0..1000).map(term).sum::<f64>();
    assert!((params[0] - expected).abs() < 1e-12, "{} {expected}", params[0]);
}

#[test]
fn lazy_rows_stay_and_weights_decay_where_there_is_a_gradient() {
    let config = SparseAdamConfig { lr: 0.1, weight_decay: 0.5, ..Default::default() };
    let mut optimizer = SparseAdam::new(config);
    let mut params = arr1(&[1.0, 2.0]);
    optimizer.step(&mut params, &CooGradient::new(vec![0], vec![0.0], 2).unwrap()).unwrap();
    assert_eq!(params, arr1(&[0.95, 2.0]));
    for _ in 0..3 {
        optimizer.step(&mut params, &CooGradient::empty(2)).unwrap();
    }
    optimizer.catch_up(&mut params).unwrap();
    assert_eq!(params, arr1(&[0.95, 2.0]));
    assert_eq!((optimizer.global_step(), optimizer.touched()), (4, 1));
}

#[test]
fn misfits_change_nothing() {
    let mut optimizer = SparseAdamTable::new(SparseAdamConfig::default());
    let mut params = arr2(&[[1.0, 2.0], [3.0, 4.0]]);
    let gradient = CsrGradient::new(vec![0, 1, 1], vec![1], vec![1.0], (2, 2)).unwrap();
    optimizer.step(&mut params, &gradient).unwrap();
    let before = params.clone();
    for shape in [(3, 2), (2, 3), (4, 1)] {
        let error = optimizer.step(&mut params, &CsrGradient::empty(shape)).unwrap_err();
        assert!(matches!(error, GpuOptimError::DimensionMismatch { .. }));
        let error = optimizer.step(&mut Array2::zeros(shape), &CsrGradient::empty(shape)).unwrap_err();
        assert!(matches!(error, GpuOptimError::DimensionMismatch { .. }));
        assert!(optimizer.catch_up(&mut Array2::zeros(shape)).is_err());
    }
    assert_eq!((optimizer.global_step(), params), (1, before));
    let good = SparseAdamConfig::default();
    for (bad, field) in [
        (SparseAdamConfig { lr: f64::NAN, ..good }, "lr"),
        (SparseAdamConfig { beta1: 1.0, ..good }, "beta1"),
        (SparseAdamConfig { beta2: -0.1, ..good }, "beta2"),
        (SparseAdamConfig { epsilon: -1.0, ..good }, "epsilon"),
        (SparseAdamConfig { weight_decay: f64::INFINITY, ..good }, "weight_decay"),
    ] {
        let error = SparseAdam::new(bad).step(&mut Array1::zeros(1), &CooGradient::empty(1)).unwrap_err();
        assert!(matches!(&error, GpuOptimError::OutOfRange { field: named, .. } if *named == field), "{error}");
    }
}

/// Parameters that exist where they are looked at, and count how often that happens.
#[derive(Default)]
struct Counted {
    cells: HashMap<(usize, usize), f64>,
    visits: usize,
}

impl Cells for Counted {
    fn cell(&mut self, row: usize, column: usize) -> Option<&mut f64> {
        self.visits += 1;
        Some(self.cells.entry((row, column)).or_default())
    }
}

#[test]
fn of_ten_million_rows_a_step_visits_those_with_a_gradient() {
    const SHAPE: (usize, usize) = (10_000_000, 4);
    const ROWS: usize = 1000;
    for mode in [LazyAdamMode::Lazy, LazyAdamMode::DormancyDecay] {
        let mut optimizer = RowAdam::new(SparseAdamConfig { mode, ..Default::default() });
        let mut params = Counted::default();
        for step in 0..3 {
            // Half of the rows are those of the step before.
            let indices = (0..ROWS * 4).map(|cell| (step * ROWS / 2 + cell / 4) * 4999 * 4 + cell % 4).collect();
            let entries = CooGradient::new(indices, vec![1.0; ROWS * 4], SHAPE.0 * SHAPE.1).unwrap();
            let gradient = CsrGradient::from_coo(&entries, SHAPE).unwrap();
            optimizer.step(&mut params, SHAPE, gradient.stored());
            assert_eq!(params.visits, (step + 1) * ROWS * 4);
        }
        assert_eq!((params.cells.len(), optimizer.states.len()), (2 * ROWS * 4, 2 * ROWS));
        assert!(optimizer.states.capacity() <= 2 * 2 * ROWS * 4);
        let before = params.visits;
        optimizer.catch_up(&mut params);
        let expected = if mode == LazyAdamMode::Lazy { 0 } else { 2 * ROWS * 4 };
        assert_eq!(params.visits - before, expected);
    }
}

#[test]
fn a_first_moment_that_outlasts_the_second_ends_any_pause() {
    let config = SparseAdamConfig { beta1: 0.9, beta2: 0.5, mode: LazyAdamMode::DormancyDecay, ..Default::default() };
    let mut moments = Moments::default();
    let mut param = 1.0;
    Update::new(&config, 1).step(&mut moments, 1.0, &mut param);
    moments.catch_up(&config, usize::MAX, &mut param);
    assert!(param < 1.0 && param.is_finite(), "{param}");
}
