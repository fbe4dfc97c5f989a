//! The buddy system: a block has 2^k granules and starts on a multiple of its own length; the block beside it that it was
//! split from is its buddy, at offset XOR length, and the two merge as soon as both are free (Knuth, The Art of Computer
//! Programming, volume 1, section 2.5, algorithms R and S).
//!
//! Any capacity will do: it is the sum of powers of two, the largest first, which never merge with one another.

use std::collections::BTreeSet;

use super::ledger::{Block, Ledger};
use super::{Allocator, MemoryError, Span, check_length, check_size};

/// Splits and merges powers of two. A request is rounded up to one, so up to half of a block is padding. Requests and frees
/// take O(log n) steps.
#[derive(Debug)]
pub struct Buddy {
    granularity: u64,
    /// In granules, as are all offsets within.
    capacity: u64,
    free: u64,
    /// By order k: where the free blocks of 2^k granules start. The lowest is taken first, which keeps the high end whole.
    lists: Vec<BTreeSet<u64>>,
    /// The orders of the blocks that are allocated.
    ledger: Ledger<u32>,
}

impl Buddy {
    /// All of `capacity` units free, given out in powers of two times `granularity`. A rest of the capacity that is shorter
    /// than the granularity stays unused.
    ///
    /// # Errors
    /// [`MemoryError::Invalid`] if the granularity is 0 or above the capacity.
    pub fn new(capacity: u64, granularity: u64) -> Result<Buddy, MemoryError> {
        check_size(capacity, granularity)?;
        let granules = capacity / granularity;
        let mut lists = vec![BTreeSet::new(); granules.ilog2() as usize + 1];
        let mut offset = 0;
        for (order, list) in lists.iter_mut().enumerate().rev() {
            if granules & (1 << order) != 0 {
                list.insert(offset);
                offset += 1 << order;
            }
        }
        Ok(Buddy { granularity, capacity: granules, free: granules, lists, ledger: Ledger::new() })
    }

    /// The unit of all lengths and offsets.
    #[must_use]
    pub fn granularity(&self) -> u64 {
        self.granularity
    }

    /// Whether no block is allocated.
    #[must_use]
    pub fn is_unused(&self) -> bool {
        self.ledger.is_empty()
    }

    /// Checks that a block is allocated here.
    ///
    /// # Errors
    /// As [`Allocator::free`].
    pub fn check(&self, block: &Block) -> Result<(), MemoryError> {
        self.ledger.check(block).map(|_| ())
    }

    /// All that is free, in the order of offsets.
    #[must_use]
    pub fn free_spans(&self) -> Vec<Span> {
        let spans = |(order, list): (usize, &BTreeSet<u64>)| {
            let len = self.granularity << order;
            list.iter().map(|start| Span { offset: start * self.granularity, len }).collect::<Vec<_>>()
        };
        let mut all: Vec<Span> = self.lists.iter().enumerate().flat_map(spans).collect();
        all.sort_unstable();
        all
    }
}

impl Allocator for Buddy {
    fn allocate(&mut self, len: u64) -> Result<Block, MemoryError> {
        check_length(len)?;
        let order = (len.div_ceil(self.granularity)).checked_next_power_of_two().map_or(u64::BITS, u64::ilog2);
        let found =
            (order as usize..self.lists.len()).find_map(|from| self.lists[from].pop_first().map(|start| (from, start)));
        let Some((from, start)) = found else {
            let (free, largest, capacity) = (self.free_space(), self.largest_free(), self.capacity());
            return Err(MemoryError::Exhausted { requested: len, free, largest, capacity });
        };
        // The lower half is split on, the upper halves stay.
        for half in (order as usize..from).rev() {
            self.lists[half].insert(start + (1 << half));
        }
        self.free -= 1 << order;
        let span = Span { offset: start * self.granularity, len: self.granularity << order };
        Ok(self.ledger.issue(span, order))
    }

    fn free(&mut self, block: Block) -> Result<(), MemoryError> {
        let mut order = self.ledger.redeem(&block)? as usize;
        let mut start = block.offset() / self.granularity;
        self.free += 1 << order;
        while self.lists[order].remove(&(start ^ (1 << order))) {
            start &= !(1 << order);
            order += 1;
        }
        self.lists[order].insert(start);
        Ok(())
    }

    fn capacity(&self) -> u64 {
        self.capacity * self.granularity
    }

    fn free_space(&self) -> u64 {
        self.free * self.granularity
    }

    fn largest_free(&self) -> u64 {
        self.lists.iter().rposition(|list| !list.is_empty()).map_or(0, |order| self.granularity << order)
    }
}
