//! The arena (also: bump or region allocator): blocks follow one another, and are taken back all at once from a mark on.
//! It has no bookkeeping per block and no fragmentation but padding.

use super::{MemoryError, Span, check_length, check_size, ledger::unique};

/// Places blocks one behind the other.
///
/// ```
/// use optirs_gpu::memory::allocation::{Arena, Span};
///
/// let mut arena = Arena::new(1000, 64)?;
/// assert_eq!(arena.allocate(100)?, Span { offset: 0, len: 100 });
/// let mark = arena.mark();
/// assert_eq!(arena.allocate(64)?.offset, 128);
/// arena.rewind(mark)?;
/// assert_eq!(arena.used(), 128);
/// # Ok::<(), optirs_gpu::memory::MemoryError>(())
/// ```
///
/// A clone goes on from the same state by itself; a mark that was taken before serves both.
#[derive(Debug, Clone)]
pub struct Arena {
    capacity: u64,
    granularity: u64,
    used: u64,
    owner: u64,
    serial: u64,
    /// The marks that it was not rewound behind, in the order of their offsets.
    marks: Vec<Mark>,
}

/// A state of an [`Arena`] to go back to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    owner: u64,
    serial: u64,
    depth: usize,
    used: u64,
}

impl Arena {
    /// An empty arena of `capacity` units, in which every block starts on a multiple of `granularity`. A rest of the
    /// capacity that is shorter than the granularity stays unused.
    ///
    /// # Errors
    /// [`MemoryError::Invalid`] if the granularity is 0 or above the capacity.
    pub fn new(capacity: u64, granularity: u64) -> Result<Arena, MemoryError> {
        check_size(capacity, granularity)?;
        let capacity = capacity - capacity % granularity;
        Ok(Arena { capacity, granularity, used: 0, owner: unique(), serial: 0, marks: Vec::new() })
    }

    /// Places `len` units behind what is used, and pads them to the granularity.
    ///
    /// # Errors
    /// [`MemoryError::Invalid`] if `len` is 0, [`MemoryError::Exhausted`] if it is more than is left.
    pub fn allocate(&mut self, len: u64) -> Result<Span, MemoryError> {
        check_length(len)?;
        let free = self.capacity - self.used;
        let padded = len.checked_next_multiple_of(self.granularity).filter(|padded| *padded <= free);
        let padded =
            padded.ok_or(MemoryError::Exhausted { requested: len, free, largest: free, capacity: self.capacity })?;
        let offset = self.used;
        self.used += padded;
        Ok(Span { offset, len })
    }

    /// Units used, padding included.
    #[must_use]
    pub fn used(&self) -> u64 {
        self.used
    }

    /// Units that blocks and their padding can take.
    #[must_use]
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    /// Remembers this state. As long as nothing is placed, the mark stays the same.
    #[must_use = "a mark is there to rewind to"]
    pub fn mark(&mut self) -> Mark {
        if let Some(last) = self.marks.last().filter(|last| last.used == self.used) {
            return *last;
        }
        let mark = Mark { owner: self.owner, serial: self.serial, depth: self.marks.len(), used: self.used };
        self.serial += 1;
        self.marks.push(mark);
        mark
    }

    /// Takes back everything that was placed since the mark. The mark stays; those that were taken after it do not.
    ///
    /// # Errors
    /// [`MemoryError::StaleMark`] if the arena was rewound behind it, [`MemoryError::Foreign`] if another arena gave it.
    pub fn rewind(&mut self, mark: Mark) -> Result<(), MemoryError> {
        if mark.owner != self.owner {
            return Err(MemoryError::Foreign { offset: mark.used });
        }
        if self.marks.get(mark.depth) != Some(&mark) {
            return Err(MemoryError::StaleMark { offset: mark.used });
        }
        self.marks.truncate(mark.depth + 1);
        self.used = mark.used;
        Ok(())
    }

    /// Takes back everything.
    pub fn reset(&mut self) {
        self.marks.clear();
        self.used = 0;
    }
}
