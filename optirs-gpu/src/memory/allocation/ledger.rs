//! Who has which block. A handle names its allocator and a number that is never given out again, so that neither a handle
//! that was freed nor one of another allocator is taken for a block that lies at the same offset now.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{MemoryError, Span};

/// Numbers for everything whose handles must not be mixed up.
pub(crate) fn unique() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// A block that an allocator has given out. It is a value, as an offset is; whether it is still allocated, the allocator knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[must_use = "a block whose handle is lost can never be freed"]
pub struct Block {
    span: Span,
    owner: u64,
    serial: u64,
}

impl Block {
    /// Its first unit.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.span.offset
    }

    /// Units, with what the allocator rounded up to.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "no block is empty")]
    pub fn len(&self) -> u64 {
        self.span.len
    }

    /// Where it lies.
    #[must_use]
    pub fn span(&self) -> Span {
        self.span
    }
}

/// The blocks of one allocator, each with what the allocator must know to take it back.
#[derive(Debug)]
pub(crate) struct Ledger<T> {
    owner: u64,
    next: u64,
    /// By offset: the number of the block there.
    live: HashMap<u64, (u64, T)>,
}

impl<T> Ledger<T> {
    pub(crate) fn new() -> Ledger<T> {
        Ledger { owner: unique(), next: 0, live: HashMap::new() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.live.is_empty()
    }

    pub(crate) fn issue(&mut self, span: Span, what: T) -> Block {
        let serial = self.next;
        self.next += 1;
        self.live.insert(span.offset, (serial, what));
        Block { span, owner: self.owner, serial }
    }

    /// What was noted of a block that is allocated.
    pub(crate) fn check(&self, block: &Block) -> Result<&T, MemoryError> {
        let offset = block.span.offset;
        if block.owner != self.owner {
            return Err(MemoryError::Foreign { offset });
        }
        match self.live.get(&offset) {
            Some((serial, what)) if *serial == block.serial => Ok(what),
            _ => Err(MemoryError::FreedTwice { offset }),
        }
    }

    pub(crate) fn redeem(&mut self, block: &Block) -> Result<T, MemoryError> {
        self.check(block)?;
        let offset = block.span.offset;
        self.live.remove(&offset).map(|(_, what)| what).ok_or(MemoryError::FreedTwice { offset })
    }
}
