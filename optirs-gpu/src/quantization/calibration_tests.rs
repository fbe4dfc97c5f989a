use proptest::prelude::*;
use rand::{SeedableRng, rngs::StdRng};
use scirs2_core::ndarray::{arr1, arr2};

use super::super::{RoundingMode, fake_quant_int, fake_quant_int_per_channel};
use super::*;

fn field(error: GpuOptimError) -> &'static str {
    match error {
        GpuOptimError::OutOfRange { field, .. } => field,
        other => panic!("{other}"),
    }
}

#[test]
fn a_symmetric_grid_has_no_lowest_integer() {
    let grid = QuantParams::from_minmax(-0.5, 1.27, IntDtype::Int8, QuantScheme::Symmetric).unwrap();
    assert_eq!(grid, QuantParams { scale: 0.01, zero_point: 0, qmin: -127, qmax: 127 });
    assert_eq!(QuantParams::from_absmax(3.5, IntDtype::Int4).unwrap().scale, 0.5);
    assert_eq!((grid.real_min(), grid.real_max()), (-1.27, 1.27));
}

#[test]
fn an_affine_grid_holds_zero() {
    let of = |low, high| QuantParams::from_minmax(low, high, IntDtype::Int4, QuantScheme::Affine).unwrap();
    assert_eq!(of(-5.0, 10.0), QuantParams { scale: 1.0, zero_point: -3, qmin: -8, qmax: 7 });
    assert_eq!(of(5.0, 15.0), QuantParams { scale: 1.0, zero_point: -8, qmin: -8, qmax: 7 });
    assert_eq!(of(-15.0, -5.0), QuantParams { scale: 1.0, zero_point: 7, qmin: -8, qmax: 7 });
    assert_eq!(of(0.0, 0.0), QuantParams { scale: 1.0, zero_point: -8, qmin: -8, qmax: 7 });
}

#[test]
fn the_ends_of_f64_have_grids() {
    for scheme in [QuantScheme::Symmetric, QuantScheme::Affine] {
        for (low, high) in [(-f64::MAX, f64::MAX), (0.0, f64::MAX), (0.0, 5e-324), (-1e-320, 1e-320)] {
            let grid = QuantParams::from_minmax(low, high, IntDtype::Int8, scheme).unwrap();
            grid.validate().unwrap();
        }
    }
}

#[test]
fn ranges_and_values_are_checked() {
    let of = |low, high| QuantParams::from_minmax(low, high, IntDtype::Int8, QuantScheme::Affine).unwrap_err();
    assert_eq!(field(of(f64::NAN, 1.0)), "min_v");
    assert_eq!(field(of(0.0, f64::INFINITY)), "max_v");
    assert_eq!(field(of(1.0, 0.5)), "max_v");
    assert_eq!(field(QuantParams::from_absmax(-1.0, IntDtype::Int8).unwrap_err()), "absmax");
    let none = QuantParams::symmetric_from_absmax(&arr1(&[]), IntDtype::Int8).unwrap_err();
    assert!(matches!(none, GpuOptimError::InvalidState(_)));
    for bad in [f64::NAN, f64::INFINITY] {
        let x = arr1(&[0.0, bad]);
        let minmax = QuantParams::per_tensor_minmax(&x, IntDtype::Int8, QuantScheme::Affine);
        assert_eq!(field(minmax.unwrap_err()), "x");
        let percentile = QuantParams::per_tensor_percentile(&x, IntDtype::Int8, QuantScheme::Symmetric, 0.49);
        assert_eq!(field(percentile.unwrap_err()), "x");
    }
    for bad in [-0.1, 0.5, f64::NAN] {
        let percentile = QuantParams::per_tensor_percentile(&arr1(&[1.0]), IntDtype::Int8, QuantScheme::Affine, bad);
        assert_eq!(field(percentile.unwrap_err()), "clip_fraction");
    }
}

#[test]
fn outliers_are_left_out() {
    let mut x = Array1::linspace(-1.0, 14.0, 100);
    (x[0], x[99]) = (-1000.0, 500.0);
    let affine = QuantParams::per_tensor_percentile(&x, IntDtype::Int4, QuantScheme::Affine, 0.01).unwrap();
    assert!((affine.real_min(), affine.real_max()) < (0.0, 14.0) && affine.scale < 1.0, "{affine:?}");
    let of = |clip| QuantParams::per_tensor_percentile(&x, IntDtype::Int4, QuantScheme::Symmetric, clip).unwrap();
    assert_eq!(of(0.0).real_max(), 1000.0);
    assert_eq!(of(0.01).real_max(), 500.0);
    assert_eq!(of(0.02).real_max(), x[98]);
    assert_eq!(of(0.0), QuantParams::per_tensor_minmax(&x, IntDtype::Int4, QuantScheme::Symmetric).unwrap());
}

#[test]
fn channels_have_their_own_grids() {
    let (x, mut rng) = (arr2(&[[1.0, -7.0], [0.5, 3.5]]), StdRng::seed_from_u64(0));
    let scales = |axis| {
        let grids = per_channel_params(&x, axis, IntDtype::Int4, QuantScheme::Symmetric).unwrap();
        grids.iter().map(|grid| grid.scale).collect::<Vec<_>>()
    };
    assert_eq!(scales(0), [1.0, 0.5]);
    assert_eq!(scales(1), [1.0 / 7.0, 1.0]);
    assert_eq!(field(per_channel_params(&x, 2, IntDtype::Int4, QuantScheme::Symmetric).unwrap_err()), "axis");

    let grids = per_channel_params(&x, 0, IntDtype::Int4, QuantScheme::Symmetric).unwrap();
    let mut of =
        |grids: &[QuantParams], axis| fake_quant_int_per_channel(&x, grids, axis, RoundingMode::Nearest, &mut rng);
    assert_eq!(of(&grids, 0).unwrap(), x);
    assert_eq!(of(&grids, 1).unwrap(), arr2(&[[1.0, -3.5], [0.0, 3.5]]));
    assert!(matches!(of(&grids[..1], 0), Err(GpuOptimError::DimensionMismatch { .. })));
    assert_eq!(field(of(&grids, 2).unwrap_err()), "axis");
    let broken = [grids[0], QuantParams { scale: 0.0, ..grids[1] }];
    assert_eq!(field(of(&broken, 0).unwrap_err()), "scale");
}

proptest! {
    #[test]
    fn no_value_is_farther_from_its_grid_than_half_a_step(
        values in proptest::collection::vec(-1e6f64..1e6, 1..30), int4: bool, affine: bool,
    ) {
        let dtype = if int4 { IntDtype::Int4 } else { IntDtype::Int8 };
        let scheme = if affine { QuantScheme::Affine } else { QuantScheme::Symmetric };
        let x = Array1::from(values);
        let grid = QuantParams::per_tensor_minmax(&x, dtype, scheme).unwrap();
        grid.validate().unwrap();
        let mut rng = StdRng::seed_from_u64(0);
        let points = fake_quant_int(&x, &grid, RoundingMode::Nearest, &mut rng);
        // An affine zero point is rounded, so that the range may end half a step short of a value.
        let farthest = if affine { 1.0 } else { 0.5 } * grid.scale * (1.0 + 1e-9);
        for (x, point) in x.iter().zip(&points) {
            prop_assert!((x - point).abs() <= farthest, "{x} {point} {grid:?}");
        }
        prop_assert_eq!(&fake_quant_int(&points, &grid, RoundingMode::Nearest, &mut rng), &points);
        prop_assert_eq!(&fake_quant_int(&points, &grid, RoundingMode::Stochastic, &mut rng), &points);
    }
}
