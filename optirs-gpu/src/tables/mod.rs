//! Where everything lies and what every dispatch covers, as pure code: no device is needed to plan.
//!
//! Three stages, each of which only ever appends: [`arenas`] places tensors in arenas, [`states`] places their element
//! states in segments, [`ranges`] cuts the chunks of a step into dispatch ranges and writes their tables.
//! What is guaranteed: every element of every tensor that takes part is covered by exactly one chunk, chunk j of a
//! tensor is its elements [j·C, (j+1)·C) however the tensor was cut, and every number fits the u32 it is stored in,
//! or planning fails. Sums are taken in u64.

pub(crate) mod arenas;
pub(crate) mod ranges;
pub(crate) mod states;
#[cfg(test)]
mod tests;

use crate::GpuOptimError;
use crate::backend::Limits;
use crate::rule::records::{REDUCTION_CHUNK, TENSOR_ALIGNMENT};

/// What one buffer of ours may hold: all of it is bound at once and its starts are u32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// Most words of an arena or a segment, a multiple of `alignment`.
    pub words: u64,
    /// Every tensor starts on a multiple of this.
    pub alignment: u64,
    /// A tensor is cut only at a multiple of this: the longest chunk that any program uses.
    pub cut: u64,
}

impl Bounds {
    /// The bounds of a device.
    pub(crate) fn of(limits: &Limits) -> Result<Bounds, GpuOptimError> {
        let addressable = u64::from(u32::MAX);
        let most = limits.buffer_words.min(limits.binding_words).min(addressable);
        let alignment = TENSOR_ALIGNMENT as u64;
        let bounds = Bounds { words: most - most % alignment, alignment, cut: REDUCTION_CHUNK as u64 };
        if bounds.words < bounds.cut {
            return Err(GpuOptimError::UnsupportedOperation(format!(
                "the device binds at most {most} words at once; a chunk of {} elements does not fit",
                bounds.cut
            )));
        }
        Ok(bounds)
    }

    /// A length with its padding.
    fn padded(&self, len: u64) -> Result<u64, GpuOptimError> {
        len.checked_next_multiple_of(self.alignment).ok_or_else(|| too_large("a tensor", len))
    }
}

/// A number as it stands in a record.
fn word(what: &str, value: u64) -> Result<u32, GpuOptimError> {
    u32::try_from(value).map_err(|_| too_large(what, value))
}

fn too_large(what: &str, value: u64) -> GpuOptimError {
    GpuOptimError::UnsupportedOperation(format!("{what} is too large for the kernels' 32-bit numbers: {value}"))
}
