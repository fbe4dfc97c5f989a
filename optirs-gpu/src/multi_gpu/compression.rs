//! Top-k compression with error feedback: the k elements of largest magnitude are sent, the others are kept and added to
//! the next gradients (Stich, Cordonnier and Jaggi, "Sparsified SGD with Memory", 2018; Lin et al., "Deep Gradient
//! Compression", 2018).
//!
//! With e the residual, `c = g + e`, `sent = top_k(c)` and `e ← c − sent`: an element is either sent or kept, so `sent + e`
//! is c bit for bit. Order is total: NaN is larger than infinity (it is seen, not kept back), +0 and −0 are equal, and of
//! equal magnitudes the first is taken.

use core::cmp::Reverse;

use crate::rule::math::decimal;
use crate::{GpuOptimError, magnitude};

/// Gradients that were compressed.
#[derive(Debug)]
pub(super) struct Compressed {
    /// What is sent, by ascending index.
    pub values: Vec<f32>,
    /// Where it belongs.
    pub indices: Vec<i32>,
    /// What is not sent; zeros where it is.
    pub residual: Vec<f32>,
}

impl Compressed {
    /// All elements: those that are not sent are 0.
    pub(super) fn decompressed(&self) -> Vec<f32> {
        let mut dense = vec![0.0; self.residual.len()];
        for (index, value) in self.indices.iter().zip(&self.values) {
            dense[*index as usize] = *value;
        }
        dense
    }
}

/// How many of `len` elements are kept: the whole part of `ratio · len`, with the ratio as it was written, so that 0.7 of 10
/// are 7; at least 1 of any.
pub(super) fn kept_of(len: usize, ratio: f32) -> usize {
    // The product may be some ulp below a whole number that it should be.
    let product = decimal(ratio) * len as f64 * (1.0 + 1e-12);
    (product as usize).max(1).min(len)
}

/// Compresses gradients plus a residual, if any, to so many elements.
pub(super) fn top_k(gradients: &[f32], residual: Option<&[f32]>, count: usize) -> Result<Compressed, GpuOptimError> {
    let Ok(len) = i32::try_from(gradients.len()) else {
        return Err(GpuOptimError::LimitExceeded {
            what: "an index of compressed gradients".to_owned(),
            needed: gradients.len() as u64,
            limit: i32::MAX as u64,
            unit: "elements",
        });
    };
    let mut kept: Vec<f32> = match residual {
        Some(residual) => gradients.iter().zip(residual).map(|(gradient, residual)| gradient + residual).collect(),
        None => gradients.to_vec(),
    };
    let mut indices: Vec<i32> = (0..len).collect();
    let rank = |index: &i32| (Reverse(magnitude::rank(kept[*index as usize])), *index);
    if count < indices.len() {
        indices.select_nth_unstable_by_key(count, rank);
        indices.truncate(count);
    }
    indices.sort_unstable();
    let values = indices.iter().map(|index| core::mem::take(&mut kept[*index as usize])).collect();
    Ok(Compressed { values, indices, residual: kept })
}
