//! Rounding, the edges of both kinds of format, and gradients. What torch and ml_dtypes say is in the cross-crate tests.

use proptest::prelude::*;
use rand::{SeedableRng, rngs::StdRng};
use scirs2_core::ndarray::{Array1, arr1};

use super::*;
use crate::GpuOptimError;

const GRID: QuantParams = QuantParams { scale: 0.5, zero_point: 1, qmin: -8, qmax: 7 };

#[test]
fn integers_are_of_8_and_4_bits() {
    for dtype in [IntDtype::Int8, IntDtype::Int4] {
        assert_eq!(IntDtype::from_bits(dtype.bits()).unwrap(), dtype);
    }
    assert!(IntDtype::from_bits(2).unwrap_err().to_string().contains("2 bits"));
    assert_eq!(IntDtype::Int8.q_range(QuantScheme::Affine), (-128, 127));
    assert_eq!(IntDtype::Int4.q_range(QuantScheme::Symmetric), (-7, 7));
}

#[test]
fn what_has_no_integer_is_clamped_or_stays_visible() {
    let mut rng = StdRng::seed_from_u64(0);
    for mode in [RoundingMode::Nearest, RoundingMode::Stochastic] {
        for (x, q) in [(1e300, 7), (f64::INFINITY, 7), (f64::NEG_INFINITY, -8), (f64::NAN, 1), (-0.0, 1)] {
            assert_eq!(GRID.quantize(x, mode, &mut rng), q, "{x}");
        }
        assert!(GRID.fake_quant_scalar(f64::NAN, mode, &mut rng).is_nan());
    }
    // Ties go to even before the zero point is added, as torch does it.
    assert_eq!(GRID.quantize(0.25, RoundingMode::Nearest, &mut rng), 1);
    assert_eq!(GRID.quantize(0.75, RoundingMode::Nearest, &mut rng), 3);
}

#[test]
fn no_parameters_make_quantization_panic() {
    let mut rng = StdRng::seed_from_u64(0);
    for scale in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        for (zero_point, qmin, qmax) in [(i32::MIN, i32::MAX, i32::MIN), (i32::MAX, i32::MIN, i32::MAX)] {
            let params = QuantParams { scale, zero_point, qmin, qmax };
            assert!(params.validate().is_err());
            for x in [0.0, 1.0, f64::NAN, f64::INFINITY] {
                let _ = params.fake_quant_scalar(x, RoundingMode::Stochastic, &mut rng);
            }
        }
    }
}

#[test]
fn fp8_formats_have_ofp8s_numbers() {
    let of = |format: Fp8Format| (format.max_normal(), format.min_normal(), format.min_subnormal());
    assert_eq!(of(Fp8Format::E4M3), (448.0, 0.015625, 0.001953125));
    assert_eq!(of(Fp8Format::E5M2), (57344.0, 6.103515625e-5, 1.52587890625e-5));
    for format in [Fp8Format::E4M3, Fp8Format::E5M2] {
        for (value, code) in [
            (format.min_subnormal(), 1),
            (format.min_subnormal() / 2.0, 0),
            (format.min_normal(), 1 << format.mantissa_bits()),
            (1.0, (format.exponent_bias() << format.mantissa_bits()) as u8),
            (f64::MIN_POSITIVE, 0),
            (-f64::MAX, format.encode(-format.max_normal(), Fp8Overflow::Special)),
        ] {
            assert_eq!(format.encode(value, Fp8Overflow::Saturate), code, "{format:?} {value}");
        }
    }
}

#[test]
fn overflow_saturates_or_is_special() {
    let code = Fp8Format::encode;
    for value in [465.0, 1e300, f64::INFINITY] {
        assert_eq!(code(Fp8Format::E4M3, -value, Fp8Overflow::Saturate), 0xfe, "{value}");
        assert_eq!(code(Fp8Format::E4M3, -value, Fp8Overflow::Special), 0xff, "{value}");
    }
    assert_eq!(code(Fp8Format::E4M3, 464.0, Fp8Overflow::Special), 0x7e);
    assert_eq!(code(Fp8Format::E5M2, 61440.0, Fp8Overflow::Special), 0x7c);
    assert_eq!(code(Fp8Format::E5M2, 61440.0, Fp8Overflow::Saturate), 0x7b);
    let mut rng = StdRng::seed_from_u64(0);
    for mode in [RoundingMode::Nearest, RoundingMode::Stochastic] {
        let x = arr1(&[f64::INFINITY, -470.0, f64::NAN, 0.0]);
        let rounded = fake_quant_fp8(&x, Fp8Format::E4M3, mode, &mut rng);
        assert_eq!((rounded[0], rounded[1], rounded[3]), (448.0, -448.0, 0.0));
        assert!(rounded[2].is_nan());
    }
}

/// The mean of many stochastic roundings is within three standard errors of the value, and each is one of its neighbours.
fn is_unbiased(value: f64, (low, high): (f64, f64), mut round: impl FnMut(f64) -> f64) {
    const DRAWS: u32 = 20_000;
    let mut ups = 0;
    for _ in 0..DRAWS {
        let rounded = round(value);
        assert!(rounded == low || rounded == high, "{value} became {rounded}");
        ups += u32::from(rounded == high);
    }
    let chance = (value - low) / (high - low);
    let deviation = (chance * (1.0 - chance) / f64::from(DRAWS)).sqrt();
    assert!((f64::from(ups) / f64::from(DRAWS) - chance).abs() <= 3.0 * deviation, "{value}: {ups} of {DRAWS} up");
}

#[test]
fn stochastic_rounding_is_unbiased() {
    let mut rng = StdRng::seed_from_u64(2026);
    let mode = RoundingMode::Stochastic;
    for (value, neighbours) in [(0.1, (0.0, 0.5)), (0.25, (0.0, 0.5)), (-1.3, (-1.5, -1.0)), (2.98, (2.5, 3.0))] {
        is_unbiased(value, neighbours, |value| GRID.fake_quant_scalar(value, mode, &mut rng));
    }
    for (value, neighbours) in [
        (1.03, (1.0, 1.125)),
        (-440.0, (-448.0, -416.0)),
        (0.0005, (0.0, 0.001953125)),
        (0.0155, (0.013671875, 0.015625)),
    ] {
        is_unbiased(value, neighbours, |value| fake_quant_fp8(&arr1(&[value]), Fp8Format::E4M3, mode, &mut rng)[0]);
    }
    is_unbiased(1.1, (1.0, 1.25), |value| fake_quant_fp8(&arr1(&[value]), Fp8Format::E5M2, mode, &mut rng)[0]);
}

#[test]
fn gradients_go_straight_through_what_is_not_clipped() {
    let x = arr1(&[-1.1, -1.0, 0.3, 1.0, 1.1, f64::INFINITY, f64::NAN]);
    let grad = Array1::from_elem(7, 2.0);
    let passed = fake_quant_backward(&grad, &x, -1.0, 1.0).unwrap();
    assert_eq!(passed.slice(scirs2_core::ndarray::s![..6]), arr1(&[0.0, 2.0, 2.0, 2.0, 0.0, 0.0]));
    assert!(passed[6].is_nan());
    let short = fake_quant_backward(&arr1(&[1.0]), &x, -1.0, 1.0).unwrap_err();
    assert!(matches!(short, GpuOptimError::DimensionMismatch { .. }));
    for (low, high) in [(1.0, -1.0), (f64::NAN, 1.0), (0.0, f64::NAN)] {
        assert!(matches!(fake_quant_backward(&grad, &x, low, high), Err(GpuOptimError::OutOfRange { .. })));
    }
}

proptest! {
    #[test]
    fn fp8_numbers_stay_themselves_and_rounding_is_monotone(a in any::<f64>(), b in any::<f64>(), code: u8, e4m3: bool) {
        let format = if e4m3 { Fp8Format::E4M3 } else { Fp8Format::E5M2 };
        let mut rng = StdRng::seed_from_u64(0);
        let mut round = |x: f64, mode| fake_quant_fp8(&arr1(&[x]), format, mode, &mut rng)[0];
        let number = format.decode(code);
        if number.is_finite() {
            prop_assert_eq!(format.encode(number, Fp8Overflow::Special), code);
            prop_assert_eq!(round(number, RoundingMode::Stochastic).to_bits(), number.to_bits());
        }
        let (low, high) = if a <= b { (a, b) } else { (b, a) };
        prop_assert!(round(low, RoundingMode::Nearest) <= round(high, RoundingMode::Nearest));
        for x in [a, b] {
            let code = format.encode(x, Fp8Overflow::Saturate);
            prop_assert_eq!(format.decode(code).to_bits(), round(x, RoundingMode::Nearest).to_bits());
        }
    }
}
