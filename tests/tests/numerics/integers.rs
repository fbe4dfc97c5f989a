//! Fake quantization to integers against torch's, and grids against its `MinMaxObserver`.

use optirs_gpu::ndarray::{Array1, Array2};
use optirs_gpu::rand::{SeedableRng, rngs::StdRng};
use optirs_gpu::{IntDtype, QuantParams, QuantScheme, RoundingMode, fake_quant_int, fake_quant_int_per_channel};
use serde::Deserialize;

#[derive(Deserialize)]
struct Cases {
    per_tensor: Vec<PerTensor>,
    per_channel: Vec<PerChannel>,
    observed: Vec<Observed>,
}

#[derive(Deserialize)]
struct PerTensor {
    scale: f64,
    zero_point: i32,
    qmin: i32,
    qmax: i32,
    x: Vec<f64>,
    y: Vec<f64>,
}

#[derive(Deserialize)]
struct PerChannel {
    scales: Vec<f64>,
    zero_points: Vec<i32>,
    qmin: i32,
    qmax: i32,
    axis: usize,
    x: Vec<Vec<f64>>,
    y: Vec<Vec<f64>>,
}

#[derive(Deserialize)]
struct Observed {
    min: f64,
    max: f64,
    scale: f64,
    zero_point: i32,
}

fn cases() -> Cases {
    serde_json::from_str(include_str!("../../fixtures/fake_quantize.json")).unwrap()
}

fn matrix(rows: &[Vec<f64>]) -> Array2<f64> {
    Array2::from_shape_fn((rows.len(), rows[0].len()), |(row, column)| rows[row][column])
}

/// torch has f32: an integer of 9 bits times an f32 is exact in f64, so that it is rounded once here, as it is there.
fn as_torch(value: &f64) -> f32 {
    *value as f32
}

#[test]
fn a_tensor_is_quantized_as_torch_does() {
    let (cases, mut rng) = (cases().per_tensor, StdRng::seed_from_u64(0));
    assert_eq!(cases.len(), 60);
    for PerTensor { scale, zero_point, qmin, qmax, x, y } in cases {
        let params = QuantParams { scale, zero_point, qmin, qmax };
        let ours = fake_quant_int(&Array1::from(x.clone()), &params, RoundingMode::Nearest, &mut rng);
        for ((x, ours), theirs) in x.iter().zip(&ours).zip(&y) {
            assert_eq!(as_torch(ours), as_torch(theirs), "{x} with {params:?}");
        }
    }
}

#[test]
fn channels_are_quantized_as_torch_does() {
    let (cases, mut rng) = (cases().per_channel, StdRng::seed_from_u64(0));
    assert_eq!(cases.len(), 60);
    for case in cases {
        let grid = |(scale, zero_point): (&f64, &i32)| QuantParams {
            scale: *scale,
            zero_point: *zero_point,
            qmin: case.qmin,
            qmax: case.qmax,
        };
        let params: Vec<_> = case.scales.iter().zip(&case.zero_points).map(grid).collect();
        let x = matrix(&case.x);
        let ours = fake_quant_int_per_channel(&x, &params, case.axis, RoundingMode::Nearest, &mut rng).unwrap();
        let (ours, theirs) = (ours.map(as_torch), matrix(&case.y).map(as_torch));
        assert_eq!(ours, theirs, "{x} along {} with {params:?}", case.axis);
    }
}

#[test]
fn grids_are_those_of_torchs_observer() {
    let cases = cases().observed;
    assert_eq!(cases.len(), 40);
    for Observed { min, max, scale, zero_point } in cases {
        let ours = QuantParams::from_minmax(min, max, IntDtype::Int8, QuantScheme::Affine).unwrap();
        assert!((ours.scale / scale - 1.0).abs() < 2e-7, "{min} {max}: {ours:?} instead of {scale}");
        assert_eq!(ours.zero_point, zero_point, "{min} {max}");
    }
}
