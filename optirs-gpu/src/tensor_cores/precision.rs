//! The types that matrix units multiply.

use super::GemmShape;

/// A type of the operands; sums are f32, of whole numbers i32.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TensorCorePrecision {
    /// Whole numbers of 8 bits.
    Int8,
    /// FP8 E4M3.
    Fp8,
    /// IEEE binary16.
    Fp16,
    /// bfloat16.
    Bf16,
    /// f32 of which 10 bits of the mantissa are multiplied.
    Tf32,
}

impl TensorCorePrecision {
    /// All of them, the narrowest first, of equally wide ones the most precise.
    pub const ALL: [Self; 5] = [Self::Int8, Self::Fp8, Self::Fp16, Self::Bf16, Self::Tf32];

    /// Bytes of an element in memory.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Self::Int8 | Self::Fp8 => 1,
            Self::Fp16 | Self::Bf16 => 2,
            Self::Tf32 => 4,
        }
    }

    /// The compute capability from which on matrix units take it.
    #[must_use]
    pub const fn least_compute_capability(self) -> (u32, u32) {
        match self {
            Self::Fp16 => (7, 0),
            Self::Int8 => (7, 5),
            Self::Bf16 | Self::Tf32 => (8, 0),
            Self::Fp8 => (8, 9),
        }
    }

    /// The tile of the largest `mma` instruction of a warp on a compute capability, as "Warp-level matrix instructions" of
    /// NVIDIA's PTX ISA lists them.
    #[must_use]
    pub const fn tile(self, compute_capability: (u32, u32)) -> GemmShape {
        let (m, n, k) = match (self, compute_capability) {
            (Self::Int8, (..=7, _)) => (8, 8, 16),
            (Self::Fp16, (..=6, _) | (7, ..=4)) => (8, 8, 4),
            (Self::Fp16, (7, _)) | (Self::Tf32, _) => (16, 8, 8),
            (Self::Fp16 | Self::Bf16, _) => (16, 8, 16),
            (Self::Int8 | Self::Fp8, _) => (16, 8, 32),
        };
        GemmShape { m, n, k }
    }

    /// The normal range of floats. `None` for whole numbers.
    #[must_use]
    pub fn float(self) -> Option<FloatRange> {
        let range = |least: i32, largest, bits: i32| {
            Some(FloatRange { least: 2f64.powi(least), largest, rounding: 2f64.powi(-bits) })
        };
        match self {
            Self::Int8 => None,
            Self::Fp8 => range(-6, 448.0, 4),
            Self::Fp16 => range(-14, 65_504.0, 11),
            // (2 − 2⁻⁷) · 2¹²⁷ and (2 − 2⁻¹⁰) · 2¹²⁷
            Self::Bf16 => range(-126, (2.0 - 2f64.powi(-7)) * 2f64.powi(127), 8),
            Self::Tf32 => range(-126, (2.0 - 2f64.powi(-10)) * 2f64.powi(127), 11),
        }
    }
}

/// What numbers a precision holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FloatRange {
    /// The least number above 0 that is not subnormal.
    pub least: f64,
    /// The largest finite number.
    pub largest: f64,
    /// By how much a number between the two is rounded at most, relatively: 2⁻ᵖ with p bits of precision.
    pub rounding: f64,
}
