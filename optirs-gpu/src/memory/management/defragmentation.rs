//! Compaction by sliding: blocks move down in the order of their offsets, so that what is free comes together behind them.
//! Between two blocks that must stay, none is moved unless the longest gap there grows.
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
    /// `from - to` units. None if the move does not lead down, or the block would end behind the last unit that a `u64` counts.
    pub fn pieces(self) -> impl Iterator<Item = Move> {
        let distance = self.from.saturating_sub(self.to);
        let is_possible = distance > 0 && self.from.checked_add(self.len).is_some();
        let pieces = if is_possible { self.len.div_ceil(distance) } else { 0 };
        (0..pieces).map(move |piece| {
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
        let mut end = 0;
        for Placed { span: Span { offset, len }, .. } in blocks.iter().copied() {
            let behind = offset.checked_add(len).filter(|behind| *behind <= capacity && len > 0);
            let (Some(behind), true) = (behind, offset >= end && offset.is_multiple_of(alignment)) else {
                let needed = "aligned, of 1 unit or more, within the capacity and behind the block before it";
                return Err(MemoryError::Invalid { what: "the offset of a block", value: offset, needed });
            };
            end = behind;
        }
        let mut plan = Self { moves: Vec::new(), before: 0, after: 0 };
        let mut start = 0;
        // A block that must stay ends what may slide together.
        for run in blocks.split_inclusive(|block| !block.movable) {
            start = plan.slide(run, start, capacity, alignment);
        }
        let rest = gap(start, capacity, alignment);
        plan.before = plan.before.max(rest);
        plan.after = plan.after.max(rest);
        Ok(plan)
    }

    /// Slides a run of blocks of which at most the last must stay, if that makes the longest gap longer. Returns where what
    /// is behind the run starts, which for a run up to the end of the memory is that end.
    fn slide(&mut self, run: &[Placed], start: u64, capacity: u64, alignment: u64) -> u64 {
        let mut free_from = start;
        let (mut before, mut after, mut end) = (0, 0, start);
        let mut moves = Vec::new();
        for Placed { span: Span { offset, len }, movable } in run {
            before = before.max(gap(end, *offset, alignment));
            end = offset + len;
            // The block's own offset is aligned and not below, so rounding up never leads above it.
            let to = if *movable { u64::next_multiple_of(free_from, alignment) } else { *offset };
            after = after.max(gap(free_from, to, alignment));
            if to < *offset {
                moves.push(Move { from: *offset, to, len: *len });
            }
            free_from = to + len;
        }
        if run.last().is_some_and(|block| block.movable) {
            before = before.max(gap(end, capacity, alignment));
            after = after.max(gap(free_from, capacity, alignment));
            end = capacity;
        }
        self.before = self.before.max(before);
        self.after = self.after.max(before.max(after));
        if after > before {
            self.moves.append(&mut moves);
        }
        end
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

    /// The longest free stretch before the moves that begins where a block may.
    #[must_use]
    pub fn largest_free_before(&self) -> u64 {
        self.before
    }

    /// The longest free stretch after all of them that begins where a block may.
    #[must_use]
    pub fn largest_free_after(&self) -> u64 {
        self.after
    }
}

/// The units of a gap from the first one on where a block may begin.
fn gap(from: u64, to: u64, alignment: u64) -> u64 {
    from.checked_next_multiple_of(alignment).map_or(0, |begin| to.saturating_sub(begin))
}
