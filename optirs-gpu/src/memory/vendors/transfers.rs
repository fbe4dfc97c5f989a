//! What a pool's streams do: write, copy, fill, wait for one another.

use super::pool::range;
use super::streams::Command;
use super::{BufferSlice, Event, MemoryError, MemoryPool, Stream};

/// Commands on streams, carried out on host memory. A call that gives a command checks all of it; the command itself runs
/// once somebody waits for it.
impl MemoryPool {
    /// A stream without commands. A pool keeps it until it is dropped.
    #[must_use]
    pub fn create_stream(&mut self) -> Stream {
        self.streams.create()
    }

    /// Writes bytes from outside of the pool. They are taken now, as a copy from pageable memory takes them, so that the
    /// caller may change its own at once.
    ///
    /// # Errors
    /// [`MemoryError::Invalid`] if there are not as many bytes as the slice has; [`MemoryError::FreedTwice`] and
    /// [`MemoryError::Foreign`] if the pool has no such buffer or stream. So also in the other calls.
    pub fn write(&mut self, stream: Stream, to: impl Into<BufferSlice>, bytes: &[u8]) -> Result<(), MemoryError> {
        let to = self.span(to.into())?;
        check_lengths(bytes.len() as u64, to.len)?;
        self.streams.push(stream, Command::Write { to, bytes: bytes.into() })
    }

    /// Copies bytes from one buffer to another, or to another place of the same.
    ///
    /// # Errors
    /// [`MemoryError::Invalid`] also if source and target overlap, which vendors leave undefined.
    pub fn copy(
        &mut self,
        stream: Stream,
        from: impl Into<BufferSlice>,
        to: impl Into<BufferSlice>,
    ) -> Result<(), MemoryError> {
        let (from, to) = (self.span(from.into())?, self.span(to.into())?);
        check_lengths(from.len, to.len)?;
        let value = from.overlap(to);
        if value > 0 {
            return Err(MemoryError::Invalid { what: "the overlap of a copy's source and target", value, needed: "0" });
        }
        self.streams.push(stream, Command::Copy { from, to })
    }

    /// Sets every byte of a slice.
    ///
    /// # Errors
    /// As [`MemoryPool::write`].
    pub fn fill(&mut self, stream: Stream, to: impl Into<BufferSlice>, value: u8) -> Result<(), MemoryError> {
        let to = self.span(to.into())?;
        self.streams.push(stream, Command::Fill { to, value })
    }

    /// Remembers what the stream has been given so far, for others to wait for.
    ///
    /// # Errors
    /// [`MemoryError::Foreign`] for a stream of another pool.
    pub fn record(&self, stream: Stream) -> Result<Event, MemoryError> {
        self.streams.record(stream)
    }

    /// Holds back what the stream is given from now on until the event has been reached.
    ///
    /// # Errors
    /// [`MemoryError::Foreign`] for a stream or an event of another pool.
    pub fn wait(&mut self, stream: Stream, event: Event) -> Result<(), MemoryError> {
        self.streams.push(stream, Command::Wait(event))
    }

    /// Waits for everything that the stream was given, and for what that waits for. Other streams stay where they are.
    ///
    /// # Errors
    /// [`MemoryError::Foreign`] for a stream of another pool.
    pub fn synchronize(&mut self, stream: Stream) -> Result<(), MemoryError> {
        let event = self.streams.record(stream)?;
        self.run(event);
        Ok(())
    }

    /// Waits for all streams.
    pub fn synchronize_all(&mut self) {
        for event in self.streams.record_all() {
            self.run(event);
        }
    }

    /// Waits for the stream, then reads bytes of any kind of memory out of the pool.
    ///
    /// # Errors
    /// As [`MemoryPool::write`]; [`MemoryError::InUse`] if another stream has commands left that use the slice, which the
    /// stream was not told to wait for. It has been waited for all the same.
    pub fn read(&mut self, stream: Stream, from: impl Into<BufferSlice>, out: &mut [u8]) -> Result<(), MemoryError> {
        let from = self.span(from.into())?;
        check_lengths(out.len() as u64, from.len)?;
        self.synchronize(stream)?;
        self.check_idle(from)?;
        out.copy_from_slice(&self.bytes[range(from)]);
        self.statistics.bytes_read += from.len;
        Ok(())
    }

    fn run(&mut self, until: Event) {
        for command in self.streams.take(until) {
            match command {
                Command::Write { to, bytes } => {
                    self.bytes[range(to)].copy_from_slice(&bytes);
                    self.statistics.bytes_written += to.len;
                }
                Command::Copy { from, to } => {
                    self.bytes.copy_within(range(from), to.offset as usize);
                    self.statistics.bytes_copied += to.len;
                }
                Command::Fill { to, value } => {
                    self.bytes[range(to)].fill(value);
                    self.statistics.bytes_filled += to.len;
                }
                Command::Wait(_) => {}
            }
        }
    }
}

fn check_lengths(given: u64, taken: u64) -> Result<(), MemoryError> {
    if given == taken {
        return Ok(());
    }
    let needed = "as many as its other end has";
    Err(MemoryError::Invalid { what: "the number of bytes of a transfer", value: given, needed })
}
