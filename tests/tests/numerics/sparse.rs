//! Sparse optimizers against torch's trajectories, as vectors and as tables.

use optirs_gpu::ndarray::{Array1, Array2};
use optirs_gpu::{
    CooGradient, CsrGradient, LazyAdamMode, SparseAdam, SparseAdamConfig, SparseAdamTable, SparseSgd, SparseSgdConfig,
    SparseSgdTable,
};
use serde::Deserialize;

const SHAPE: (usize, usize) = (6, 3);

type Table = [[f64; 3]; 6];

#[derive(Deserialize)]
struct Trajectory {
    start: Table,
    steps: Vec<Step>,
}

#[derive(Deserialize)]
struct Step {
    entries: Vec<(usize, usize, f64)>,
    full: Table,
    lazy: Table,
    dense: Table,
    sgd: Table,
}

fn trajectory() -> Trajectory {
    let trajectory: Trajectory = serde_json::from_str(include_str!("../../fixtures/sparse.json")).unwrap();
    assert_eq!(trajectory.steps.len(), 40);
    trajectory
}

fn vector(table: &Table) -> Array1<f64> {
    table.iter().flatten().copied().collect()
}

fn table(table: &Table) -> Array2<f64> {
    Array2::from_shape_fn(SHAPE, |(row, column)| table[row][column])
}

/// Duplicates and all.
fn gradient(entries: &[(usize, usize, f64)]) -> CooGradient {
    let (indices, values) = entries.iter().map(|(row, column, value)| (row * SHAPE.1 + column, *value)).unzip();
    CooGradient::new_unsorted(indices, values, SHAPE.0 * SHAPE.1).unwrap()
}

fn rows(gradient: &CooGradient) -> CsrGradient {
    CsrGradient::from_coo(gradient, SHAPE).unwrap()
}

fn assert_close<'a>(ours: impl IntoIterator<Item = &'a f64>, theirs: &Table, step: usize) {
    for (ours, theirs) in ours.into_iter().zip(theirs.iter().flatten()) {
        assert!((ours - theirs).abs() <= 1e-13 * theirs.abs().max(1.0), "step {step}: {ours} instead of {theirs}");
    }
}

fn adam(mode: LazyAdamMode) -> SparseAdamConfig {
    SparseAdamConfig { lr: 0.05, beta1: 0.8, beta2: 0.95, epsilon: 1e-3, weight_decay: 0.0, mode }
}

#[test]
fn lazy_adam_is_torchs_sparse_adam() {
    let Trajectory { start, steps } = trajectory();
    let (mut flat, mut wide) = (vector(&start), table(&start));
    let config = adam(LazyAdamMode::Lazy);
    let (mut of_vector, mut of_table) = (SparseAdam::new(config), SparseAdamTable::new(config));
    for (number, step) in steps.iter().enumerate() {
        let gradient = gradient(&step.entries);
        of_vector.step(&mut flat, &gradient).unwrap();
        of_table.step(&mut wide, &rows(&gradient)).unwrap();
        assert_close(&flat, &step.lazy, number);
        assert_close(&wide, &step.lazy, number);
    }
}

#[test]
fn dormancy_decay_is_torchs_dense_adam() {
    let Trajectory { start, steps } = trajectory();
    let (mut flat, mut wide) = (vector(&start), table(&start));
    let config = adam(LazyAdamMode::DormancyDecay);
    let (mut of_vector, mut of_table) = (SparseAdam::new(config), SparseAdamTable::new(config));
    for (number, step) in steps.iter().enumerate() {
        let gradient = gradient(&step.entries);
        of_vector.step(&mut flat, &gradient).unwrap();
        of_table.step(&mut wide, &rows(&gradient)).unwrap();
        // The table is only looked at where there was no gradient, and at the end.
        if number % 5 == 4 {
            of_table.catch_up(&mut wide).unwrap();
            assert_close(&wide, &step.dense, number);
        }
        of_vector.catch_up(&mut flat).unwrap();
        assert_close(&flat, &step.dense, number);
    }
}

#[test]
fn sgd_over_every_row_is_torchs() {
    let Trajectory { start, steps } = trajectory();
    let (mut flat, mut wide) = (vector(&start), table(&start));
    let config = SparseSgdConfig { lr: 0.05, weight_decay: 0.1, momentum: 0.9, nesterov: true };
    let (mut of_vector, mut of_table) = (SparseSgd::new(config), SparseSgdTable::new(config));
    for (number, step) in steps.iter().enumerate() {
        let whole = vector(&step.full);
        let gradient = CooGradient::new((0..whole.len()).collect(), whole.to_vec(), whole.len()).unwrap();
        of_vector.step(&mut flat, &gradient).unwrap();
        of_table.step(&mut wide, &rows(&gradient)).unwrap();
        assert_close(&flat, &step.sgd, number);
        assert_close(&wide, &step.sgd, number);
    }
}
