//! The edges of each format. All patterns, and all points between two of them, are in the crate of cross-crate tests.

use proptest::prelude::*;

use super::*;

#[test]
fn binary16_has_ieees_edges() {
    for (value, bits) in [
        (0.0, 0x0000),
        (-0.0, 0x8000),
        (1.0, 0x3c00),
        (-2.0, 0xc000),
        (F16_MAX, 0x7bff),
        (65519.996, 0x7bff),
        (65520.0, 0x7c00),
        (f32::MAX, 0x7c00),
        (f32::NEG_INFINITY, 0xfc00),
        (6.103_515_6e-5, 0x0400), // 2⁻¹⁴, the smallest normal number
        (6.097_555e-5, 0x03ff),   // the largest subnormal one
        (5.960_464_5e-8, 0x0001), // 2⁻²⁴, the smallest one
        (2.980_232_2e-8, 0x0000), // 2⁻²⁵: halfway, to even
        (2.980_232_6e-8, 0x0001), // the next f32
        (-f32::MIN_POSITIVE, 0x8000),
        (1.000_488_3, 0x3c00), // 1 + 2⁻¹¹: halfway, to even
        (1.001_464_8, 0x3c02), // 1 + 3·2⁻¹¹: halfway, to even
    ] {
        assert_eq!(f32_to_f16_bits(value), bits, "{value:e}");
    }
}

#[test]
fn bfloat16_has_the_range_of_f32() {
    for (value, bits) in [
        (1.0, 0x3f80),
        (f32::from_bits(0x3f80_8000), 0x3f80),
        (f32::from_bits(0x3f81_8000), 0x3f82),
        (f32::MAX, 0x7f80),
        (f32::from_bits(0x7f7f_7fff), 0x7f7f),
        (f32::from_bits(0x0000_8000), 0x0000),
        (f32::from_bits(0x0000_8001), 0x0001),
        (f32::NEG_INFINITY, 0xff80),
    ] {
        assert_eq!(f32_to_bf16_bits(value), bits, "{value:e}");
    }
}

#[test]
fn what_is_beyond_binary16_is_its_largest_number() {
    assert_eq!(saturate_to_f16_range(65505.0), F16_MAX);
    assert_eq!(saturate_to_f16_range(f32::NEG_INFINITY), -F16_MAX);
    assert_eq!(saturate_to_f16_range(-1.5).to_bits(), (-1.5f32).to_bits());
    assert_eq!(saturate_to_f16_range(-0.0).to_bits(), (-0.0f32).to_bits());
    assert!(saturate_to_f16_range(f32::NAN).is_nan());
}

#[test]
fn a_nan_keeps_its_sign_and_what_fits_of_its_payload() {
    assert_eq!(f32_to_f16_bits(f32::from_bits(0x7fc0_0000)), 0x7e00);
    assert_eq!(f32_to_f16_bits(f32::from_bits(0xffaa_a000)), 0xff55);
    assert_eq!(f32_to_f16_bits(f32::from_bits(0x7f80_0001)), 0x7e00);
    assert_eq!(f16_bits_to_f32(0x7d55).to_bits(), 0x7fea_a000);
    assert_eq!(f32_to_bf16_bits(f32::from_bits(0xff80_0001)), 0xffc0);
    assert_eq!(bf16_bits_to_f32(0x7fd5).to_bits(), 0x7fd5_0000);
}

proptest! {
    #[test]
    fn a_slice_is_its_values(values in proptest::collection::vec(any::<u32>().prop_map(f32::from_bits), 0..40)) {
        let (halves, brains) = (f32_slice_to_f16_bits(&values), f32_slice_to_bf16_bits(&values));
        let one_by_one = |convert: fn(f32) -> u16| values.iter().copied().map(convert).collect::<Vec<_>>();
        prop_assert_eq!(&halves, &one_by_one(f32_to_f16_bits));
        prop_assert_eq!(&brains, &one_by_one(f32_to_bf16_bits));
        let bits = |values: Vec<f32>| values.into_iter().map(f32::to_bits).collect::<Vec<_>>();
        let back = |words: &[u16], convert: fn(u16) -> f32| words.iter().map(|word| convert(*word)).collect();
        prop_assert_eq!(bits(f16_bits_slice_to_f32(&halves)), bits(back(&halves, f16_bits_to_f32)));
        prop_assert_eq!(bits(bf16_bits_slice_to_f32(&brains)), bits(back(&brains, bf16_bits_to_f32)));
    }

    #[test]
    fn rounding_is_monotone(a in any::<f32>(), b in any::<f32>()) {
        let (low, high) = if a <= b { (a, b) } else { (b, a) };
        prop_assert!(f16_bits_to_f32(f32_to_f16_bits(low)) <= f16_bits_to_f32(f32_to_f16_bits(high)));
        prop_assert!(bf16_bits_to_f32(f32_to_bf16_bits(low)) <= bf16_bits_to_f32(f32_to_bf16_bits(high)));
    }
}
