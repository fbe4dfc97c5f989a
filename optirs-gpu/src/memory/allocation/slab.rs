//! The slab allocator: a slab is a block that is cut into objects of one length, so that objects of a length which is no
//! power of two waste nothing but the rest of their slab, and freeing one never leaves a hole of another length (Bonwick,
//! The Slab Allocator: An Object-Caching Kernel Memory Allocator, USENIX Summer 1994).
//!
//! There are no constructed objects to keep here, only offsets; so a slab goes back as soon as it is empty.

use std::collections::{BTreeMap, BTreeSet};

use super::ledger::{Block, Ledger};
use super::{Allocator, Buddy, MemoryError, Span, check_length};

/// Serves requests from slabs of the shortest class that they fit in, and longer ones from a buddy. Where the buddy has no
/// room for a new slab, it serves short ones itself; where it has none for them either, an object of a longer class does.
///
/// ```
/// use optirs_gpu::memory::allocation::{Allocator, Buddy, Slab};
///
/// let mut slab = Slab::new(Buddy::new(4096, 16)?, &[48, 96], 256)?;
/// let objects = [slab.allocate(40)?, slab.allocate(48)?]; // two of the five objects of one slab
/// assert_eq!((objects[0].offset(), objects[1].offset()), (0, 48));
/// assert_eq!(slab.allocate(1000)?.len(), 1024); // longer than the longest class
/// # Ok::<(), optirs_gpu::memory::MemoryError>(())
/// ```
#[derive(Debug)]
pub struct Slab {
    buddy: Buddy,
    slab_len: u64,
    classes: Vec<Class>,
    free: u64,
    ledger: Ledger<Origin>,
}

/// The objects of one length.
#[derive(Debug)]
struct Class {
    len: u64,
    slabs: BTreeMap<u64, Objects>,
    /// The slabs with a free object; the lowest serves first, so that high ones empty.
    partial: BTreeSet<u64>,
}

/// One slab.
#[derive(Debug)]
struct Objects {
    block: Block,
    used: u64,
    /// Where its free objects start; the latest that was freed comes first, as it is likely to be cached.
    free: Vec<u64>,
}

/// Where a block was taken from.
#[derive(Debug, Clone, Copy)]
enum Origin {
    Object { class: usize, slab: u64 },
    Buddy(Block),
}

impl Slab {
    /// Cuts slabs of `slab_len` units, rounded up as the buddy does, into objects of these lengths.
    ///
    /// # Errors
    /// [`MemoryError::Invalid`] if the lengths are not ascending multiples of the buddy's granularity from 1 to `slab_len`,
    /// or if the buddy has blocks already, which nobody could free any more; [`MemoryError::SlabTooLong`] if no block of the
    /// buddy is as long as a slab.
    pub fn new(buddy: Buddy, lengths: &[u64], slab_len: u64) -> Result<Slab, MemoryError> {
        if !buddy.is_unused() {
            let value = buddy.capacity() - buddy.free_space();
            return Err(MemoryError::Invalid { what: "what the buddy has given out", value, needed: "0" });
        }
        let mut previous = 0;
        for &len in lengths {
            if len <= previous || len > slab_len || !len.is_multiple_of(buddy.granularity()) {
                let needed = "ascending, a multiple of the granularity and no longer than a slab";
                return Err(MemoryError::Invalid { what: "the length of an object", value: len, needed });
            }
            previous = len;
        }
        let longest = buddy.largest_free();
        if slab_len > longest {
            return Err(MemoryError::SlabTooLong { slab_len, longest });
        }
        let class = |&len: &u64| Class { len, slabs: BTreeMap::new(), partial: BTreeSet::new() };
        let free = buddy.free_space();
        Ok(Slab { classes: lengths.iter().map(class).collect(), slab_len, free, buddy, ledger: Ledger::new() })
    }

    /// Whether no block is allocated, which also means that the buddy has all of its memory back.
    #[must_use]
    pub fn is_unused(&self) -> bool {
        self.ledger.is_empty()
    }

    fn place(&mut self, len: u64) -> Option<(Span, Origin)> {
        let shortest = self.classes.partition_point(|class| class.len < len);
        if let Some(object) = self.object(shortest) {
            return Some(object);
        }
        if let Ok(block) = self.buddy.allocate(len) {
            return Some((block.span(), Origin::Buddy(block)));
        }
        (shortest..self.classes.len()).find_map(|longer| self.object(longer))
    }

    fn object(&mut self, class: usize) -> Option<(Span, Origin)> {
        let objects = self.classes.get_mut(class)?;
        let (offset, slab) = objects.take(&mut self.buddy, self.slab_len).ok()?;
        Some((Span { offset, len: objects.len }, Origin::Object { class, slab }))
    }

    fn exhausted(&self, requested: u64) -> MemoryError {
        let (free, largest, capacity) = (self.free_space(), self.largest_free(), self.capacity());
        MemoryError::Exhausted { requested, free, largest, capacity }
    }
}

impl Class {
    /// The start of a free object and its slab, from a new slab if there is none.
    fn take(&mut self, buddy: &mut Buddy, slab_len: u64) -> Result<(u64, u64), MemoryError> {
        let slab = match self.partial.first() {
            Some(slab) => *slab,
            None => {
                let block = buddy.allocate(slab_len)?;
                let free = (0..block.len() / self.len).rev().map(|place| block.offset() + place * self.len).collect();
                self.slabs.insert(block.offset(), Objects { block, used: 0, free });
                self.partial.insert(block.offset());
                block.offset()
            }
        };
        let lost = MemoryError::Foreign { offset: slab };
        let objects = self.slabs.get_mut(&slab).ok_or(lost)?;
        let start = objects.free.pop().ok_or(lost)?;
        objects.used += 1;
        if objects.free.is_empty() {
            self.partial.remove(&slab);
        }
        Ok((start, slab))
    }

    fn give_back(&mut self, buddy: &mut Buddy, slab: u64, start: u64) -> Result<(), MemoryError> {
        let objects = self.slabs.get_mut(&slab).ok_or(MemoryError::Foreign { offset: start })?;
        objects.free.push(start);
        objects.used -= 1;
        self.partial.insert(slab);
        if objects.used == 0 {
            let block = objects.block;
            self.partial.remove(&slab);
            self.slabs.remove(&slab);
            buddy.free(block)?;
        }
        Ok(())
    }
}

impl Allocator for Slab {
    fn allocate(&mut self, len: u64) -> Result<Block, MemoryError> {
        check_length(len)?;
        let (span, origin) = self.place(len).ok_or_else(|| self.exhausted(len))?;
        self.free -= span.len;
        Ok(self.ledger.issue(span, origin))
    }

    fn free(&mut self, block: Block) -> Result<(), MemoryError> {
        match self.ledger.redeem(&block)? {
            Origin::Buddy(inner) => self.buddy.free(inner)?,
            Origin::Object { class, slab } => {
                self.classes[class].give_back(&mut self.buddy, slab, block.offset())?;
            }
        }
        self.free += block.len();
        Ok(())
    }

    fn capacity(&self) -> u64 {
        self.buddy.capacity()
    }

    /// What no block has, free objects of slabs included.
    fn free_space(&self) -> u64 {
        self.free
    }

    fn largest_free(&self) -> u64 {
        let object = self.classes.iter().rev().find(|class| !class.partial.is_empty()).map_or(0, |class| class.len);
        object.max(self.buddy.largest_free())
    }
}
