//! A pool: one stretch of host memory, buffers that a buddy allocator places in it, and counts of what was done.

use core::ops::Range;

use super::streams::Streams;
use super::{MemoryError, MemoryKind, VendorProfile};
use crate::memory::allocation::{Allocator, Block, Buddy, Span};

/// Memory as a vendor's interface gives it, in host memory: buffers of three kinds, in-order streams of copies between them,
/// events, and statistics. No device is opened and none of the vendor's calls is made; see [`vendors`](super).
///
/// The first bytes of a pool are 0; a buffer that lies where another one was begins with that one's bytes, as a device's may.
#[derive(Debug)]
pub struct MemoryPool {
    profile: VendorProfile,
    pub(super) bytes: Vec<u8>,
    blocks: Buddy,
    pub(super) streams: Streams,
    pub(super) statistics: MemoryStatistics,
}

/// A buffer in a [`MemoryPool`]'s host memory. It is a value, as a device address is; whether it has been freed, the pool knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[must_use = "a buffer whose handle is lost can never be freed"]
pub struct Buffer {
    block: Block,
    len: u64,
    kind: MemoryKind,
}

/// A range of a [`Buffer`]'s bytes, in host memory as the buffer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BufferSlice {
    buffer: Buffer,
    start: u64,
    len: u64,
}

/// What a [`MemoryPool`] has done in host memory, as counts. Bytes of buffers include what the pool rounded up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MemoryStatistics {
    /// Bytes of the buffers that there are.
    pub used: u64,
    /// The most that `used` ever was.
    pub peak: u64,
    /// Buffers that were made.
    pub allocations: u64,
    /// Buffers that were freed.
    pub frees: u64,
    /// Requests that did not fit.
    pub failures: u64,
    /// Bytes that came from outside of the pool.
    pub bytes_written: u64,
    /// Bytes that were read out of the pool by [`MemoryPool::read`].
    pub bytes_read: u64,
    /// Bytes that were copied within the pool.
    pub bytes_copied: u64,
    /// Bytes that were set by [`MemoryPool::fill`].
    pub bytes_filled: u64,
}

impl Buffer {
    /// Its bytes, as many as were asked for.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "no buffer is empty")]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Where it starts in its pool, a multiple of [`VendorProfile::alignment`].
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.block.offset()
    }

    /// Who can reach it.
    #[must_use]
    pub fn kind(&self) -> MemoryKind {
        self.kind
    }

    /// A part of it.
    ///
    /// # Errors
    /// [`MemoryError::Invalid`] with the end of a range that is empty or ends behind the buffer.
    pub fn slice(self, range: Range<u64>) -> Result<BufferSlice, MemoryError> {
        if range.is_empty() || range.end > self.len {
            let needed = "above its start and within the buffer";
            return Err(MemoryError::Invalid { what: "the end of a slice", value: range.end, needed });
        }
        Ok(BufferSlice { buffer: self, start: range.start, len: range.end - range.start })
    }
}

/// All of a buffer.
impl From<Buffer> for BufferSlice {
    fn from(buffer: Buffer) -> Self {
        Self { buffer, start: 0, len: buffer.len }
    }
}

impl MemoryPool {
    /// A pool of so many bytes of host memory, without the rest that is shorter than the profile's alignment.
    ///
    /// # Errors
    /// [`MemoryError::Invalid`] if that is less than the alignment, or the alignment is 0; [`MemoryError::HostExhausted`] if
    /// the host's allocator refuses as much. A system that overcommits memory may grant what it does not have, and end the
    /// process when the pool sets its bytes to 0.
    pub fn new(profile: VendorProfile, capacity: u64) -> Result<Self, MemoryError> {
        let blocks = Buddy::new(capacity, profile.alignment)?;
        let exhausted = MemoryError::HostExhausted { bytes: blocks.capacity() };
        let len = usize::try_from(blocks.capacity()).map_err(|_| exhausted)?;
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(len).map_err(|_| exhausted)?;
        bytes.resize(len, 0);
        Ok(Self { profile, bytes, blocks, streams: Streams::new(), statistics: MemoryStatistics::default() })
    }

    /// What it stands for.
    #[must_use]
    pub fn profile(&self) -> &VendorProfile {
        &self.profile
    }

    /// A buffer of `len` bytes. The pool takes a power of two times the alignment for it.
    ///
    /// # Errors
    /// [`MemoryError::Invalid`] if `len` is 0, [`MemoryError::Exhausted`] if that much is not free in one piece,
    /// which the statistics count.
    pub fn allocate(&mut self, len: u64, kind: MemoryKind) -> Result<Buffer, MemoryError> {
        let placed = self.blocks.allocate(len);
        if let Err(MemoryError::Exhausted { .. }) = placed {
            self.statistics.failures += 1;
        }
        let block = placed?;
        self.statistics.allocations += 1;
        self.statistics.used += block.len();
        self.statistics.peak = self.statistics.peak.max(self.statistics.used);
        Ok(Buffer { block, len, kind })
    }

    /// Gives a buffer's memory back.
    ///
    /// # Errors
    /// [`MemoryError::FreedTwice`] and [`MemoryError::Foreign`] if the pool has no such buffer, [`MemoryError::InUse`] if a
    /// stream has commands left that use it.
    pub fn free(&mut self, buffer: Buffer) -> Result<(), MemoryError> {
        self.blocks.check(&buffer.block)?;
        self.check_idle(buffer.block.span())?;
        self.blocks.free(buffer.block)?;
        self.statistics.frees += 1;
        self.statistics.used -= buffer.block.len();
        Ok(())
    }

    /// The bytes of a buffer that the host can reach.
    ///
    /// # Errors
    /// [`MemoryError::NotHostAccessible`] for [`MemoryKind::Device`]; as [`MemoryPool::free`].
    pub fn bytes(&self, slice: impl Into<BufferSlice>) -> Result<&[u8], MemoryError> {
        let span = self.host_span(slice.into())?;
        Ok(&self.bytes[range(span)])
    }

    /// The bytes of a buffer that the host can reach, to be changed.
    ///
    /// # Errors
    /// As [`MemoryPool::bytes`].
    pub fn bytes_mut(&mut self, slice: impl Into<BufferSlice>) -> Result<&mut [u8], MemoryError> {
        let span = self.host_span(slice.into())?;
        Ok(&mut self.bytes[range(span)])
    }

    /// What has been done so far.
    #[must_use]
    pub fn statistics(&self) -> MemoryStatistics {
        self.statistics
    }

    /// Bytes that buffers can take altogether.
    #[must_use]
    pub fn capacity(&self) -> u64 {
        self.blocks.capacity()
    }

    /// The longest buffer that can be made now.
    #[must_use]
    pub fn largest_free(&self) -> u64 {
        self.blocks.largest_free()
    }

    /// Where a slice of a buffer that has not been freed lies in the pool.
    pub(super) fn span(&self, slice: BufferSlice) -> Result<Span, MemoryError> {
        self.blocks.check(&slice.buffer.block)?;
        Ok(Span { offset: slice.buffer.offset() + slice.start, len: slice.len })
    }

    fn host_span(&self, slice: BufferSlice) -> Result<Span, MemoryError> {
        let span = self.span(slice)?;
        if !slice.buffer.kind.is_host_accessible() {
            let VendorProfile { device: made_by, host: instead, .. } = self.profile;
            return Err(MemoryError::NotHostAccessible { offset: span.offset, made_by, instead });
        }
        self.check_idle(span)?;
        Ok(span)
    }

    pub(super) fn check_idle(&self, span: Span) -> Result<(), MemoryError> {
        match self.streams.pending_on(span) {
            0 => Ok(()),
            commands => Err(MemoryError::InUse { offset: span.offset, commands }),
        }
    }
}

/// The places of a span in the pool's bytes, which are no more than `usize` counts.
pub(super) fn range(span: Span) -> Range<usize> {
    span.offset as usize..(span.offset + span.len) as usize
}
