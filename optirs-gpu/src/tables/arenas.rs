//! Places tensors in arenas, one after another. An arena is one buffer of parameters; gradients and extra inputs have
//! arenas of the same shape, so that one start serves all of them. [`Arena`] places tensors and counts the words that they
//! and their padding take. States lie elsewhere: [`super::states`] counts the words of its segments itself, since a rule
//! without states places stretches of no words, and an [`Arena`] refuses blocks of no length.
//!
//! A tensor lies in one piece unless it alone is larger than an arena; then it is cut at multiples of the longest chunk.

use super::{Bounds, too_large};
use crate::GpuOptimError;
use crate::memory::allocation::Arena;

/// A piece of a tensor in an arena. A tensor has one, unless it is larger than an arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// Which arena.
    pub arena: usize,
    /// First element in the arena.
    pub start: u64,
    /// First element of its gradients; the same but in memory of others.
    pub grad_start: u64,
    /// First element in the tensor, a multiple of the chunk length.
    pub offset: u64,
    /// Elements.
    pub len: u64,
}

/// The arenas and how far each is used.
#[derive(Clone, Debug)]
pub(crate) struct Arenas {
    bounds: Bounds,
    /// None is others' memory, in which nothing is placed.
    arenas: Vec<Option<Arena>>,
}

impl Arenas {
    pub(crate) fn new(bounds: Bounds) -> Arenas {
        Arenas { bounds, arenas: Vec::new() }
    }

    /// Words used in each arena, padding included.
    pub(crate) fn used(&self) -> Vec<u64> {
        self.arenas.iter().map(|arena| arena.as_ref().map_or(self.bounds.words, Arena::used)).collect()
    }

    /// Takes in an arena of others' memory, in which nothing is placed.
    #[cfg(any(test, feature = "wgpu"))]
    pub(crate) fn adopt(&mut self) -> usize {
        self.arenas.push(None);
        self.arenas.len() - 1
    }

    /// Places one more tensor behind the others. An empty one has no parts.
    pub(crate) fn place(&mut self, len: u64) -> Result<Vec<Part>, GpuOptimError> {
        let padded = self.bounds.padded(len)?;
        // Chunks are counted in 32 bits. A view of one element may be of any length, and its parts would fill memory.
        if len.div_ceil(self.bounds.cut) > u64::from(u32::MAX) {
            return Err(too_large("a tensor", len));
        }
        if len == 0 {
            return Ok(Vec::new());
        }
        if padded <= self.bounds.words {
            return Ok(vec![self.append(0, len)?]);
        }
        let piece = self.bounds.words - self.bounds.words % self.bounds.cut;
        let mut parts = Vec::new();
        let mut offset = 0;
        while offset < len {
            let here = piece.min(len - offset);
            parts.push(self.append(offset, here)?);
            offset += here;
        }
        Ok(parts)
    }

    fn append(&mut self, offset: u64, len: u64) -> Result<Part, GpuOptimError> {
        let latest = self.arenas.last_mut().and_then(Option::as_mut);
        let span = match latest.and_then(|arena| arena.allocate(len).ok()) {
            Some(span) => span,
            None => {
                let mut arena = Arena::new(self.bounds.words, self.bounds.alignment)?;
                let span = arena.allocate(len)?;
                self.arenas.push(Some(arena));
                span
            }
        };
        let start = span.offset;
        Ok(Part { arena: self.arenas.len() - 1, start, grad_start: start, offset, len })
    }
}
