//! binary16 and bfloat16 against their definitions in f64: every pattern, and around every point halfway between two
//! neighbours. Rounding is monotone (a property test beside the conversions), so nothing between these is left open.

use optirs_gpu::mixed_precision::{bf16_bits_to_f32, f16_bits_to_f32, f32_to_bf16_bits, f32_to_f16_bits};

/// A binary interchange format of 16 bits with a sign.
struct Format {
    significand_bits: u32,
    to_bits: fn(f32) -> u16,
    to_value: fn(u16) -> f32,
}

const BINARY16: Format = Format { significand_bits: 10, to_bits: f32_to_f16_bits, to_value: f16_bits_to_f32 };
const BFLOAT16: Format = Format { significand_bits: 7, to_bits: f32_to_bf16_bits, to_value: bf16_bits_to_f32 };

impl Format {
    fn exponent_bits(&self) -> u32 {
        15 - self.significand_bits
    }

    /// The exponent field of infinities and NaNs.
    fn special(&self) -> u32 {
        (1 << self.exponent_bits()) - 1
    }

    /// The bits of +∞.
    fn infinity(&self) -> u16 {
        (self.special() << self.significand_bits) as u16
    }

    /// IEEE 754-2019, 3.4. For +∞ it is the power of two that would follow the largest number, from which the halfway point
    /// of overflow is measured.
    fn magnitude(&self, bits: u16) -> f64 {
        let bias = (1 << (self.exponent_bits() - 1)) - 1;
        let exponent = i32::from(bits >> self.significand_bits);
        let fraction = f64::from(bits & ((1 << self.significand_bits) - 1)) / f64::from(1 << self.significand_bits);
        if exponent == 0 { fraction * 2f64.powi(1 - bias) } else { (1.0 + fraction) * 2f64.powi(exponent - bias) }
    }

    fn every_pattern_has_its_value_and_comes_back(&self) {
        let quiet = 1u16 << (self.significand_bits - 1);
        for bits in 0..=u16::MAX {
            let (value, sign) = ((self.to_value)(bits), bits & 0x8000);
            assert_eq!(value.is_sign_negative(), sign != 0, "{bits:04x}");
            match (bits & 0x7fff).cmp(&self.infinity()) {
                std::cmp::Ordering::Less => {
                    assert_eq!(f64::from(value.abs()), self.magnitude(bits & 0x7fff), "{bits:04x}");
                    assert_eq!((self.to_bits)(value), bits);
                }
                std::cmp::Ordering::Equal => {
                    assert!(value.is_infinite(), "{bits:04x}");
                    assert_eq!((self.to_bits)(value), bits);
                }
                std::cmp::Ordering::Greater => {
                    assert!(value.is_nan(), "{bits:04x}");
                    assert_eq!((self.to_bits)(value), bits | quiet, "{bits:04x}");
                    // The payload stands at the upper end of f32's.
                    let payload = u32::from(bits) << (23 - self.significand_bits) & 0x3f_ffff;
                    assert_eq!(value.to_bits() & 0x3f_ffff, payload, "{bits:04x}");
                }
            }
        }
    }

    fn every_halfway_point_rounds_to_even_and_its_neighbours_to_theirs(&self) {
        for low in 0..self.infinity() {
            let high = low + 1;
            let halfway = (self.magnitude(low) + self.magnitude(high)) / 2.0;
            let exact = halfway as f32;
            assert_eq!(f64::from(exact), halfway, "every halfway point is an f32");
            let even = if low % 2 == 0 { low } else { high };
            for (value, bits) in [(exact, even), (exact.next_down(), low), (exact.next_up(), high)] {
                assert_eq!((self.to_bits)(value), bits, "{value:e}");
                assert_eq!((self.to_bits)(-value), bits | 0x8000, "{:e}", -value);
            }
        }
    }

    fn every_nan_stays_one(&self) {
        // Every payload whose bits are a run of ones: all that truncating and quieting can meet.
        for first in 0..23 {
            for last in first..23 {
                let payload = ((1u32 << (last + 1)) - 1) & !((1 << first) - 1);
                for sign in [0u32, 0x8000_0000] {
                    let kept = (payload >> (23 - self.significand_bits)) as u16 | 1 << (self.significand_bits - 1);
                    let expected = (sign >> 16) as u16 | self.infinity() | kept;
                    assert_eq!((self.to_bits)(f32::from_bits(sign | 0x7f80_0000 | payload)), expected, "{payload:x}");
                }
            }
        }
    }
}

#[test]
fn every_pattern_has_its_value_and_comes_back() {
    BINARY16.every_pattern_has_its_value_and_comes_back();
    BFLOAT16.every_pattern_has_its_value_and_comes_back();
}

#[test]
fn every_halfway_point_rounds_to_even_and_its_neighbours_to_theirs() {
    BINARY16.every_halfway_point_rounds_to_even_and_its_neighbours_to_theirs();
    BFLOAT16.every_halfway_point_rounds_to_even_and_its_neighbours_to_theirs();
}

#[test]
fn every_nan_stays_one() {
    BINARY16.every_nan_stays_one();
    BFLOAT16.every_nan_stays_one();
}
