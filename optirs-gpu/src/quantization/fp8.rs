//! FP8: E4M3 and E5M2 of the Open Compute Project's "OFP8 Formats for Deep Learning", revision 1.0, 2023, which follows
//! Micikevicius et al., "FP8 Formats for Deep Learning", arXiv:2209.05433.
//!
//! A value is rounded once, from f64. What overflows is either saturated or becomes what the format has beyond its largest
//! number: the two modes of OFP8, section 5.2.

use rand::Rng;
use scirs2_core::ndarray::Array1;

use super::RoundingMode;

/// The largest number of E4M3: 1.75 · 2⁸.
pub const E4M3_MAX_NORMAL: f64 = 448.0;
/// The largest number of E5M2: 1.75 · 2¹⁵.
pub const E5M2_MAX_NORMAL: f64 = 57344.0;

/// A format of 8 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fp8Format {
    /// 4 bits of exponent, 3 of significand. No infinities; S.1111.111 is NaN, so that S.1111.110 is the largest number
    /// (`float8_e4m3fn` in ml_dtypes and torch). For weights and activations.
    E4M3,
    /// 5 bits of exponent, 2 of significand, with infinities and NaNs as IEEE 754 has them. For gradients.
    E5M2,
}

/// What becomes of values whose nearest number, if exponents had no limit, is above the largest one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fp8Overflow {
    /// The largest number of their sign, for infinities as well: OFP8's saturating mode, which training takes.
    Saturate,
    /// Infinity in E5M2, NaN in E4M3: OFP8's non-saturating mode, that of ml_dtypes and of torch's casts.
    Special,
}

impl Fp8Format {
    /// Bits of the significand that are stored: 3, 2.
    #[must_use]
    pub fn mantissa_bits(self) -> i32 {
        match self {
            Fp8Format::E4M3 => 3,
            Fp8Format::E5M2 => 2,
        }
    }

    /// What is subtracted from a stored exponent: 7, 15.
    #[must_use]
    pub fn exponent_bias(self) -> i32 {
        match self {
            Fp8Format::E4M3 => 7,
            Fp8Format::E5M2 => 15,
        }
    }

    /// The largest number: [`E4M3_MAX_NORMAL`], [`E5M2_MAX_NORMAL`].
    #[must_use]
    pub fn max_normal(self) -> f64 {
        match self {
            Fp8Format::E4M3 => E4M3_MAX_NORMAL,
            Fp8Format::E5M2 => E5M2_MAX_NORMAL,
        }
    }

    /// The smallest normal number above 0: 2⁻⁶, 2⁻¹⁴.
    #[must_use]
    pub fn min_normal(self) -> f64 {
        power_of_two(self.min_exponent())
    }

    /// The smallest number above 0: 2⁻⁹, 2⁻¹⁶.
    #[must_use]
    pub fn min_subnormal(self) -> f64 {
        power_of_two(self.min_exponent() - self.mantissa_bits())
    }

    /// The code of the nearest number, of two as near the one whose last bit is 0. NaN keeps its sign, and has one payload.
    #[must_use]
    pub fn encode(self, value: f64, overflow: Fp8Overflow) -> u8 {
        let magnitude =
            self.limited((value.abs() / self.spacing(value)).round_ties_even() * self.spacing(value), overflow);
        let sign = u8::from(value.is_sign_negative()) << 7;
        sign | match self {
            Fp8Format::E4M3 if magnitude.is_nan() => 0x7f,
            Fp8Format::E5M2 if magnitude.is_nan() => 0x7e,
            Fp8Format::E5M2 if magnitude.is_infinite() => 0x7c,
            Fp8Format::E4M3 | Fp8Format::E5M2 => {
                // The leading bit of a normal number's significand adds the 1 by which its stored exponent is above that of
                // subnormal numbers.
                let significand = magnitude / self.spacing(magnitude);
                let binades = exponent(magnitude).max(self.min_exponent()) - self.min_exponent();
                ((binades << self.mantissa_bits()) + significand as i32) as u8
            }
        }
    }

    /// The value of a code.
    #[must_use]
    pub fn decode(self, code: u8) -> f64 {
        let (stored, fraction) =
            (i32::from(code & 0x7f) >> self.mantissa_bits(), i32::from(code) & self.fraction_mask());
        let magnitude = match self {
            Fp8Format::E4M3 if code & 0x7f == 0x7f => f64::NAN,
            Fp8Format::E5M2 if stored == 31 && fraction > 0 => f64::NAN,
            Fp8Format::E5M2 if stored == 31 => f64::INFINITY,
            Fp8Format::E4M3 | Fp8Format::E5M2 if stored == 0 => f64::from(fraction) * self.min_subnormal(),
            Fp8Format::E4M3 | Fp8Format::E5M2 => {
                f64::from(fraction + self.fraction_mask() + 1) * power_of_two(stored - 1) * self.min_subnormal()
            }
        };
        if code & 0x80 == 0 { magnitude } else { -magnitude }
    }

    /// A number of the format near a value; what overflows is saturated, and NaN stays NaN.
    pub(super) fn fake_quant(self, value: f64, mode: RoundingMode, rng: &mut impl Rng) -> f64 {
        let spacing = self.spacing(value);
        self.limited(mode.integer(value / spacing, rng) * spacing, Fp8Overflow::Saturate)
    }

    /// What stands for a number of unlimited exponent.
    fn limited(self, rounded: f64, overflow: Fp8Overflow) -> f64 {
        let largest = self.max_normal();
        match (overflow, self) {
            (Fp8Overflow::Saturate, _) => rounded.clamp(-largest, largest),
            (Fp8Overflow::Special, _) if rounded.abs() <= largest => rounded,
            (Fp8Overflow::Special, Fp8Format::E4M3) => f64::NAN,
            (Fp8Overflow::Special, Fp8Format::E5M2) => rounded * f64::INFINITY,
        }
    }

    /// The distance between neighbours in the value's binade, without an upper limit of exponents.
    fn spacing(self, value: f64) -> f64 {
        power_of_two(exponent(value).max(self.min_exponent()) - self.mantissa_bits())
    }

    fn min_exponent(self) -> i32 {
        1 - self.exponent_bias()
    }

    fn fraction_mask(self) -> i32 {
        (1 << self.mantissa_bits()) - 1
    }
}

/// The nearest number of the format to each value, or one of the two around it ([`RoundingMode::Stochastic`]); what
/// overflows is saturated, since an infinite weight ends a training; NaN stays NaN. The values are not scaled: what is to be
/// represented well lies between [`Fp8Format::min_normal`] and [`Fp8Format::max_normal`].
pub fn fake_quant_fp8(x: &Array1<f64>, format: Fp8Format, mode: RoundingMode, rng: &mut impl Rng) -> Array1<f64> {
    x.mapv(|value| format.fake_quant(value, mode, rng))
}

/// ⌊log₂ |value|⌋; 1024 for what is not finite, −1023 for what is below every format's numbers.
fn exponent(value: f64) -> i32 {
    ((value.to_bits() >> 52) & 0x7ff) as i32 - 1023
}

/// Exact, for the exponents of normal numbers.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}
