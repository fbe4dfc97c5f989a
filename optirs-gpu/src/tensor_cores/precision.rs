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

    /// The tile of the largest `mma` instruction of a warp.
    #[must_use]
    pub const fn tile(self) -> GemmShape {
        let k = match self {
            Self::Int8 | Self::Fp8 => 32,
            Self::Fp16 | Self::Bf16 => 16,
            Self::Tf32 => 8,
        };
        GemmShape { m: 16, n: 8, k }
    }

    /// Of floats: the largest finite number, and by how much a number of the normal range is rounded at most, relatively:
    /// 2⁻ᵖ with p bits of precision. `None` for whole numbers.
    #[must_use]
    pub fn float(self) -> Option<(f64, f64)> {
        let rounding = |bits: i32| 2f64.powi(-bits);
        match self {
            Self::Int8 => None,
            Self::Fp8 => Some((448.0, rounding(4))),
            Self::Fp16 => Some((65_504.0, rounding(11))),
            // (2 − 2⁻⁷) · 2¹²⁷ and (2 − 2⁻¹⁰) · 2¹²⁷
            Self::Bf16 => Some(((2.0 - 2f64.powi(-7)) * 2f64.powi(127), rounding(8))),
            Self::Tf32 => Some(((2.0 - 2f64.powi(-10)) * 2f64.powi(127), rounding(11))),
        }
    }
}
