//! Places element states. With S cells per element, cell k of a stretch's element i lies at
//! `state_start + k·stride + i` in its segment, and stretches follow one another as their tensors do.
//!
//! A segment is one state buffer and belongs to one arena, so a step needs one dispatch range per segment, unless a
//! table grows too large. A tensor whose states exceed a segment is cut into stretches, each with a stride of its own.

use super::arenas::Part;
use super::{Bounds, too_large};
use crate::GpuOptimError;

/// A piece of a tensor that lies in one piece in every arena: parameters, gradients and all cells of its states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stretch {
    /// Which segment.
    pub segment: usize,
    /// First element in the parameters' arena.
    pub param_start: u64,
    /// First element in the gradients' arena.
    pub grad_start: u64,
    /// Where cell 0 starts in the segment.
    pub state_start: u64,
    /// From one cell to the next.
    pub stride: u64,
    /// First element in the tensor, a multiple of the chunk length.
    pub offset: u64,
    /// Elements.
    pub len: u64,
}

/// One state buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    /// The arena whose tensors it serves.
    pub arena: usize,
    /// Words used.
    pub words: u64,
}

/// The segments, and how far each is used.
#[derive(Clone, Debug)]
pub(crate) struct States {
    bounds: Bounds,
    cells: u64,
    segments: Vec<Segment>,
}

impl States {
    /// For a rule with this many element states.
    pub(crate) fn new(bounds: Bounds, cells: usize) -> Result<States, GpuOptimError> {
        let cells = cells as u64;
        let least = cells.checked_mul(bounds.cut).ok_or_else(|| too_large("the states of a chunk", cells))?;
        if least > bounds.words {
            return Err(GpuOptimError::UnsupportedOperation(format!(
                "the device binds at most {} words at once; {cells} states of a chunk need {least}",
                bounds.words
            )));
        }
        Ok(States { bounds, cells, segments: Vec::new() })
    }

    pub(crate) fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Places the states of one more tensor behind the others. Tensors come in the order of their arenas.
    pub(crate) fn place(&mut self, parts: &[Part]) -> Result<Vec<Stretch>, GpuOptimError> {
        let most = self.bounds.words.checked_div(self.cells).unwrap_or(u64::MAX);
        let piece = most - most % self.bounds.cut;
        let mut stretches = Vec::new();
        for part in parts {
            let whole = self.bounds.padded(part.len)? <= most;
            let mut done = 0;
            while done < part.len {
                let len = if whole { part.len } else { piece.min(part.len - done) };
                stretches.push(self.append(part, done, len)?);
                done += len;
            }
        }
        Ok(stretches)
    }

    fn append(&mut self, part: &Part, done: u64, len: u64) -> Result<Stretch, GpuOptimError> {
        let stride = self.bounds.padded(len)?;
        let words = stride.checked_mul(self.cells).ok_or_else(|| too_large("the states of a tensor", stride))?;
        let latest = self.segments.iter().rposition(|segment| segment.arena == part.arena);
        let segment = match latest.filter(|latest| self.segments[*latest].words + words <= self.bounds.words) {
            Some(latest) => latest,
            None => {
                self.segments.push(Segment { arena: part.arena, words: 0 });
                self.segments.len() - 1
            }
        };
        let state_start = self.segments[segment].words;
        self.segments[segment].words += words;
        Ok(Stretch {
            segment,
            param_start: part.start + done,
            grad_start: part.grad_start + done,
            state_start,
            stride,
            offset: part.offset + done,
            len,
        })
    }
}
