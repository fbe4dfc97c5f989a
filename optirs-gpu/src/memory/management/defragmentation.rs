//! Compaction by sliding: blocks move down in the order of their offsets, so that what is free comes together behind them.
//! The order of blocks stays, and every move goes to where no block is that has not moved yet.

use super::MemoryError;
use crate::memory::allocation::Span;

/// A block that lies somewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placed {
    /// Where.
    pub span: Span,
    /// Whether it may move. One that is in use by a device, or whose address others have noted, may not.
    pub movable: bool,
}

/// One move, downwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Move {
    /// Where the block lies.
    pub from: u64,
    /// Where it goes, below `from`; both places may overlap.
    pub to: u64,
    /// Units.
    pub len: u64,
}

impl Move {
    /// The same as copies that do not overlap, for copies on a device, which must not: one after the other, each of at most
    /// `from - to` units.
    pub fn pieces(self) -> impl Iterator<Item = Move> {
        let distance = self.from - self.to;
        (0..self.len.div_ceil(distance)).map(move |piece| {
            let done = piece * distance;
            Move { from: self.from + done, to: self.to + done, len: distance.min(self.len - done) }
        })
    }
}

/// The moves that bring blocks together, to be made in their order. After any number of them every block is whole: at its new
/// place if its move was made, else at its old one.
///
/// ```
/// use optirs_gpu::memory::allocation::Span;
/// use optirs_gpu::memory::management::{DefragmentationPlan, Move, Placed};
///
/// let blocks = [(16, 8), (32, 16)].map(|(offset, len)| Placed { span: Span { offset, len }, movable: true });
/// let plan = DefragmentationPlan::new(&blocks, 64, 8)?;
/// assert_eq!(plan.moves(), [Move { from: 16, to: 0, len: 8 }, Move { from: 32, to: 8, len: 16 }]);
/// assert_eq!((plan.largest_free_before(), plan.largest_free_after()), (16, 40));
///
/// let mut bytes: Vec<u8> = (0..64).collect();
/// for step in plan.moves() {
///     bytes.copy_within(step.from as usize..(step.from + step.len) as usize, step.to as usize);
/// }
/// assert_eq!((bytes[0], bytes[8]), (16, 32));
/// # Ok::<(), optirs_gpu::memory::MemoryError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefragmentationPlan {
    moves: Vec<Move>,
    before: u64,
    after: u64,
}

impl DefragmentationPlan {
    /// Plans for these blocks, in any order, of a memory of `capacity` units in which blocks start on multiples of
    /// `alignment`.
    ///
    /// # Errors
    /// [`MemoryError::Invalid`] if the alignment is 0, or if a block is empty, not aligned, ends behind the capacity, or
    /// overlaps another.
    pub fn new(blocks: &[Placed], capacity: u64, alignment: u64) -> Result<Self, MemoryError> {
        if alignment == 0 {
            return Err(MemoryError::Invalid { what: "the alignment", value: 0, needed: "at least 1" });
        }
        let mut blocks = blocks.to_vec();
        blocks.sort_by_key(|block| block.span.offset);
        let (mut moves, mut placed) = (Vec::new(), Vec::with_capacity(blocks.len()));
        let (mut end, mut free_from) = (0, 0);
        for Placed { span, movable } in &blocks {
            let Span { offset, len } = *span;
            let behind = offset.checked_add(len).filter(|behind| *behind <= capacity && len > 0);
            let (Some(behind), true) = (behind, offset >= end && offset.is_multiple_of(alignment)) else {
                let needed = "aligned, of 1 unit or more, within the capacity and behind the block before it";
                return Err(MemoryError::Invalid { what: "the offset of a block", value: offset, needed });
            };
            end = behind;
            // The block's own offset is aligned and not below, so rounding up never leads above it.
            let to = if *movable { u64::next_multiple_of(free_from, alignment) } else { offset };
            if to < offset {
                moves.push(Move { from: offset, to, len });
            }
            placed.push(Span { offset: to, len });
            free_from = to + len;
        }
        let before = largest_free(blocks.iter().map(|block| block.span), capacity);
        Ok(Self { moves, before, after: largest_free(placed.into_iter(), capacity) })
    }

    /// The moves, in the order in which they must be made.
    #[must_use]
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Units that are moved.
    #[must_use]
    pub fn moved(&self) -> u64 {
        self.moves.iter().map(|step| step.len).sum()
    }

    /// The longest free stretch before the moves.
    #[must_use]
    pub fn largest_free_before(&self) -> u64 {
        self.before
    }

    /// The longest free stretch after all of them.
    #[must_use]
    pub fn largest_free_after(&self) -> u64 {
        self.after
    }
}

/// The longest gap between spans that are in order, before the first and behind the last included.
fn largest_free(spans: impl Iterator<Item = Span>, capacity: u64) -> u64 {
    let mut end = 0;
    let mut largest = 0;
    for span in spans {
        largest = largest.max(span.offset - end);
        end = span.offset + span.len;
    }
    largest.max(capacity - end)
}
