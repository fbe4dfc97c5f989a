//! Precisions, plans and orders; layouts that round-trip; pruning against every choice there is.

use proptest::prelude::*;
use scirs2_core::ndarray::{Array2, array};

use super::*;
use crate::StepOutcome;
use crate::mixed_precision::MixedPrecisionConfig;

fn planner(compute_capability: (u32, u32), allow_eight_bits: bool) -> TensorCoreOptimizer {
    TensorCoreOptimizer::new(TensorCoreConfig { compute_capability, allow_eight_bits }).unwrap()
}

#[test]
fn a_device_has_the_precisions_of_its_generation() {
    use TensorCorePrecision::{Bf16, Fp8, Fp16, Int8, Tf32};
    let had = |capability, eight| planner(capability, eight).precisions().collect::<Vec<_>>();
    assert_eq!(had((7, 0), true), [Fp16]);
    assert_eq!(had((7, 5), true), [Int8, Fp16]);
    assert_eq!(had((8, 0), false), [Fp16, Bf16, Tf32]);
    assert_eq!(had((8, 9), true), [Int8, Fp8, Fp16, Bf16, Tf32]);
    let without = TensorCoreOptimizer::new(TensorCoreConfig { compute_capability: (6, 1), allow_eight_bits: false });
    assert!(without.unwrap_err().to_string().contains("6.1 has no tensor cores"));
}

#[test]
fn a_precision_is_the_narrowest_that_suffices() {
    use TensorCorePrecision::{Bf16, Fp8, Fp16, Tf32};
    let hopper = planner((9, 0), true);
    let chosen = |magnitude, error| hopper.precision_for(magnitude, error).unwrap();
    assert_eq!([chosen(448.0, 0.07), chosen(449.0, 0.07), chosen(1.0, 0.06)], [Fp8, Fp16, Fp16]);
    // Normal numbers of binary16 end at 2⁻¹⁴, those of E4M3 at 2⁻⁶.
    assert_eq!(
        [chosen(1e-9, 1e-2), chosen(1e-9, 1e-3), chosen(0.01, 0.07), chosen(0.0, 0.07)],
        [Bf16, Tf32, Fp16, Fp8]
    );
    assert_eq!([chosen(65_504.0, 1e-3), chosen(65_505.0, 4e-3), chosen(65_505.0, 1e-3)], [Fp16, Bf16, Tf32]);
    assert_eq!(planner((9, 0), false).precision_for(1.0, 0.5).unwrap(), Fp16);
    let refused = |magnitude, error| hopper.precision_for(magnitude, error).unwrap_err().to_string();
    assert!(refused(1.0, 1e-4).contains("Fp16, Bf16, Tf32) holds 1e0 and rounds by at most 1e-4"));
    assert!(refused(f64::INFINITY, 1.0).contains("holds inf"));
    assert!(refused(f64::NAN, 1.0).contains("magnitude = NaN"));
    assert!(refused(1.0, 0.0).contains("relative_error = 0"));
}

#[test]
fn a_plan_counts_work_bytes_and_padding() {
    let (fp16, tf32) = (TensorCorePrecision::Fp16, TensorCorePrecision::Tf32);
    let ampere = planner((8, 0), false);
    let plan = ampere.plan(GemmShape { m: 17, n: 9, k: 16 }, fp16).unwrap();
    assert_eq!(plan.padded, GemmShape { m: 32, n: 16, k: 16 });
    assert_eq!((plan.operations, plan.bytes), (2 * 17 * 9 * 16, 2 * (17 * 16 + 16 * 9) + 4 * 17 * 9));
    assert_eq!(plan.efficiency, (17.0 * 9.0) / (32.0 * 16.0));
    assert_eq!(plan.intensity(), plan.operations as f64 / plan.bytes as f64);
    assert_eq!(ampere.plan(plan.shape, tf32).unwrap().padded.k, 16);

    let eight = GemmShape { m: 8, n: 8, k: 16 };
    let padded = |capability, precision| planner(capability, true).plan(eight, precision).unwrap().padded;
    assert_eq!([padded((7, 0), fp16), padded((7, 5), fp16)], [eight, GemmShape { m: 16, ..eight }]);
    let int8 = TensorCorePrecision::Int8;
    assert_eq!([padded((7, 5), int8), padded((8, 0), int8)], [eight, GemmShape { m: 16, n: 8, k: 32 }]);

    let refused = |shape, precision| ampere.plan(shape, precision).unwrap_err().to_string();
    assert!(refused(GemmShape { m: 1, n: 0, k: 1 }, fp16).contains("n = 0 is out of range"));
    assert!(refused(plan.shape, TensorCorePrecision::Fp8).contains("Fp8 on compute capability 8.0"));
    assert!(refused(GemmShape { m: usize::MAX, n: 1, k: 1 }, fp16).contains("64 bits do not count"));
    let error = ampere.gemm(&plan).unwrap_err();
    assert!(matches!(&error, GpuOptimError::UnsupportedOperation(text) if text.contains("17 x 16 and 16 x 9")));
}

#[test]
fn the_order_follows_what_is_busy() {
    let planner = planner((8, 0), false);
    let plan = |m, n, k| planner.plan(GemmShape { m, n, k }, TensorCorePrecision::Bf16).unwrap();
    // Of operations per byte: few, many, some, and as few as the first.
    let plans = [plan(16, 16, 16), plan(1024, 1024, 1024), plan(128, 128, 128), plan(16, 16, 16)];
    let order = |units, memory| {
        let state = HardwareUtilizationState { tensor_core_utilization: units, bandwidth_utilization: memory };
        planner.schedule(&plans, &state)
    };
    assert_eq!(order(Some(0.2), Some(0.9)).unwrap(), [1, 2, 0, 3]);
    assert_eq!(order(Some(0.9), Some(0.2)).unwrap(), [0, 3, 2, 1]);
    for (units, memory) in [(None, Some(1.0)), (Some(1.0), None), (None, None), (Some(0.5), Some(0.5))] {
        assert_eq!(order(units, memory).unwrap(), [0, 1, 2, 3]);
    }
    assert_eq!(planner.schedule(&plans, &HardwareUtilizationState::unknown_baseline()).unwrap(), [0, 1, 2, 3]);
    assert!(order(Some(1.5), None).unwrap_err().to_string().contains("tensor_core_utilization = 1.5"));
    assert!(order(None, Some(f32::NAN)).unwrap_err().to_string().contains("bandwidth_utilization = NaN"));
}

#[test]
fn a_step_that_overflows_is_skipped_and_one_that_fails_leaves_the_scale() {
    let config = MixedPrecisionConfig { init_scale: 1024.0, growth_interval: 1, ..MixedPrecisionConfig::default() };
    let mut trainer = MixedPrecisionTrainer::new(config).unwrap();
    let mut seen = Vec::new();
    let mut step = |trainer: &mut MixedPrecisionTrainer, gradient: f32, fails: bool| {
        trainer.step(&mut [gradient], |gradients| {
            seen.extend_from_slice(gradients);
            if fails { Err(GpuOptimError::NotInitialized) } else { Ok(()) }
        })
    };
    assert!(step(&mut trainer, 512.0, true).is_err());
    assert_eq!((trainer.scale(), trainer.overflow_stats().total_steps), (1024.0, 0));
    assert_eq!(step(&mut trainer, f32::NAN, false).unwrap(), StepOutcome::Skipped);
    assert_eq!((trainer.scale(), trainer.scale_loss(2.0)), (512.0, 1024.0));
    assert_eq!(step(&mut trainer, 512.0, false).unwrap(), StepOutcome::Taken);
    assert_eq!((trainer.scale(), trainer.overflow_stats().overflow_count), (1024.0, 1));
    assert_eq!(seen, [0.5, 1.0]);
    assert!(MixedPrecisionTrainer::new(MixedPrecisionConfig { growth_factor: 1.0, ..config }).is_err());
}

#[test]
fn a_nan_is_never_pruned_away_by_numbers() {
    let nan = f32::NAN;
    let kept = |row: [f32; 4]| SparseTensorCoreMatrix::from_dense(array![row].view()).unwrap();
    let sparse = kept([f32::INFINITY, 1.0, -nan, f32::MAX]);
    assert_eq!(
        (sparse.values()[0], sparse.values()[1].is_nan(), sparse.metadata()),
        (f32::INFINITY, true, &[0b1000][..])
    );
    assert!(kept([nan, 1.0, nan, nan]).values().iter().all(|value| value.is_nan()));
    let infinite = kept([f32::INFINITY, f32::NEG_INFINITY, nan, 1.0]);
    assert_eq!((infinite.values()[0], infinite.metadata()), (f32::INFINITY, &[0b1000][..]), "not even by infinity");
    assert_eq!(kept([2.0, -2.0, 2.0, 2.0]).metadata(), [0b0100], "the first of equal ones");
    assert_eq!(kept([0.0; 4]).to_dense(), array![[0.0; 4]]);
}

#[test]
fn a_matrix_that_has_no_groups_of_four_is_refused() {
    let error = SparseTensorCoreMatrix::from_dense(Array2::zeros((3, 6)).view()).unwrap_err().to_string();
    assert!(error.contains("expected [3, 8], got [3, 6]"), "{error}");
    let empty = SparseTensorCoreMatrix::from_dense(Array2::zeros((0, 8)).view()).unwrap();
    assert_eq!((empty.shape(), empty.to_dense().dim()), ((0, 8), (0, 8)));
}

#[test]
fn a_layout_that_does_not_fit_is_refused() {
    let matrix = Array2::zeros((3, 5));
    let error = pack(matrix.view(), MatrixLayout::RowMajor, (2, 8)).unwrap_err().to_string();
    assert!(error.contains("expected [2, 8], got [3, 5]"), "{error}");
    assert!(pack(matrix.view(), MatrixLayout::RowMajor, (usize::MAX, 8)).is_err());
    let error = unpack(&[0.0; 15], MatrixLayout::RowMajor, (4, 4), (3, 4)).unwrap_err().to_string();
    assert!(error.contains("expected [16], got [15]"), "{error}");
}

fn matrices(columns: usize) -> impl Strategy<Value = Array2<f32>> {
    (1..=6usize, 1..=3usize).prop_flat_map(move |(rows, groups)| {
        let columns = groups * columns;
        // Few different values, so that many are equal.
        proptest::collection::vec((-3i8..=3).prop_map(f32::from), rows * columns)
            .prop_map(move |values| Array2::from_shape_vec((rows, columns), values).unwrap())
    })
}

proptest! {
    #[test]
    fn layouts_round_trip(matrix in matrices(1), more in (0..5usize, 0..5usize)) {
        let (rows, columns) = matrix.dim();
        let padded = (rows + more.0, columns + more.1);
        let by_row = pack(matrix.view(), MatrixLayout::RowMajor, padded).unwrap();
        let by_column = pack(matrix.view(), MatrixLayout::ColumnMajor, padded).unwrap();
        prop_assert_eq!(&unpack(&by_row, MatrixLayout::RowMajor, padded, (rows, columns)).unwrap(), &matrix);
        prop_assert_eq!(&unpack(&by_column, MatrixLayout::ColumnMajor, padded, (rows, columns)).unwrap(), &matrix);
        // One layout is the other of the transposed matrix.
        prop_assert_eq!(by_column, pack(matrix.t(), MatrixLayout::RowMajor, (padded.1, padded.0)).unwrap());
        prop_assert_eq!(by_row.iter().sum::<f32>(), matrix.sum(), "what is added is zeros");
    }

    #[test]
    fn pruning_keeps_the_most_magnitude_there_is(matrix in matrices(4)) {
        let sparse = SparseTensorCoreMatrix::from_dense(matrix.view()).unwrap();
        let dense = sparse.to_dense();
        prop_assert_eq!(SparseTensorCoreMatrix::from_dense(dense.view()).unwrap().to_dense(), dense.clone());
        let (whole, kept) = (matrix.as_slice().unwrap().chunks(4), dense.as_slice().unwrap().chunks(4));
        for (group, kept) in whole.zip(kept) {
            let most = (0..4).flat_map(|a| (0..a).map(move |b| (a, b)));
            let most = most.map(|(a, b)| group[a].abs() + group[b].abs()).fold(0.0, f32::max);
            prop_assert_eq!(kept.iter().map(|value| value.abs()).sum::<f32>(), most);
            prop_assert!(kept.iter().zip(group).all(|(kept, value)| *kept == 0.0 || kept == value));
            prop_assert!(kept.iter().filter(|value| **value != 0.0).count() <= 2);
        }
        for places in sparse.metadata() {
            prop_assert!(places & 3 < places >> 2 && places >> 2 < 4);
        }
    }
}
