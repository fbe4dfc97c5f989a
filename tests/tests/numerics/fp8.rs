//! FP8 against ml_dtypes: every code, and every bfloat16.

use optirs_gpu::mixed_precision::bf16_bits_to_f32;
use optirs_gpu::ndarray::arr1;
use optirs_gpu::quantization::Fp8Overflow;
use optirs_gpu::rand::{SeedableRng, rngs::StdRng};
use optirs_gpu::{Fp8Format, RoundingMode, fake_quant_fp8};

/// What ml_dtypes has for a format.
struct Expected {
    format: Fp8Format,
    /// Codes of all bfloat16.
    codes: &'static [u8],
    /// Values of all codes.
    values: Vec<f32>,
}

fn expected() -> [Expected; 2] {
    let file: &[u8] = include_bytes!("../../fixtures/fp8.bin");
    let (e4m3, e5m2) = file.split_at(file.len() / 2);
    [(Fp8Format::E4M3, e4m3), (Fp8Format::E5M2, e5m2)].map(|(format, part)| {
        let (codes, values) = part.split_at(65_536);
        let values = values.chunks_exact(4).map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap()));
        Expected { format, codes, values: values.collect() }
    })
}

#[test]
fn every_code_has_its_value() {
    for Expected { format, values, .. } in expected() {
        assert_eq!(values.len(), 256);
        for (code, value) in (0..=255u8).zip(values) {
            let ours = format.decode(code);
            assert!(ours == f64::from(value) || ours.is_nan() && value.is_nan(), "{format:?} {code:02x}: {ours}");
            assert_eq!(ours.is_sign_negative(), code & 0x80 != 0, "{format:?} {code:02x}");
        }
    }
}

#[test]
fn every_bfloat16_has_its_code() {
    for Expected { format, codes, .. } in expected() {
        assert_eq!(codes.len(), 65_536);
        for (bits, code) in (0..=u16::MAX).zip(codes) {
            let value = f64::from(bf16_bits_to_f32(bits));
            let ours = format.encode(value, Fp8Overflow::Special);
            assert_eq!(ours, *code, "{format:?}: bfloat16 {bits:04x}, {value:e}");
        }
    }
}

#[test]
fn fake_quantization_is_the_value_of_that_code_but_saturates() {
    let mut rng = StdRng::seed_from_u64(0);
    for Expected { format, codes, values } in expected() {
        let mut saturated = 0;
        for (bits, code) in (0..=u16::MAX).zip(codes) {
            let x = f64::from(bf16_bits_to_f32(bits));
            let ours = fake_quant_fp8(&arr1(&[x]), format, RoundingMode::Nearest, &mut rng)[0];
            let theirs = f64::from(values[usize::from(*code)]);
            if x.is_nan() {
                assert!(ours.is_nan() && theirs.is_nan());
            } else if theirs.is_finite() {
                assert_eq!(ours.to_bits(), theirs.to_bits(), "{format:?}: {x:e}");
            } else {
                assert_eq!(ours, format.max_normal().copysign(x), "{format:?}: {x:e}");
                saturated += 1;
            }
        }
        assert!(saturated > 1000, "{format:?}: {saturated}");
    }
}
