//! The CPU back end: the generated Rust kernels, chunk by chunk on all cores.
//!
//! It executes the same tables as the GPUs and adds in the same order, so its results do not depend on the number of
//! threads. Work is done when [`Backend::run`] returns.

mod launch;
mod memory;
mod pass;
mod split;
#[cfg(test)]
mod tests;
mod view;

use core::any::Any;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::{AnyDebug, Backend, Buffer, Counted, DeviceMemory, Launch, Limits, Meter, Reading, Slice, Write, zeros};
use crate::GpuOptimError;
use crate::rule::Program;
use crate::rule::cpu::Instructions;

/// An element takes a fraction of a nanosecond, and waking other threads takes some 20 µs.
const ALONE: u64 = 1 << 17;

/// Words of what processors move at once. The widest instructions load and store as much; from anywhere else than such a
/// boundary they do it in two pieces.
const LINE_WORDS: usize = 16;

/// How passes are run.
#[derive(Clone, Copy, Debug)]
struct Passes {
    instructions: Instructions,
    /// Below this many elements the calling thread runs a pass alone.
    alone: u64,
}

/// The CPU as a device.
#[derive(Debug)]
pub(crate) struct CpuBackend {
    limits: Limits,
    passes: Passes,
    /// The most bytes that its buffers may have together.
    memory: u64,
    meter: Arc<Meter>,
}

impl CpuBackend {
    /// Limits that no machine's memory reaches, but the kernels' 32-bit starts.
    pub(crate) fn new() -> CpuBackend {
        let most = u64::from(u32::MAX);
        CpuBackend::with_limits(Limits {
            buffer_words: most,
            binding_words: most,
            alignment_words: 4,
            grid_width: u32::MAX,
        })
    }

    /// With the limits of another device, so that its shards and ranges are really executed.
    pub(crate) fn with_limits(limits: Limits) -> CpuBackend {
        CpuBackend::with_memory(limits, memory::of_machine())
    }

    /// With so many bytes for all buffers together.
    fn with_memory(limits: Limits, memory: u64) -> CpuBackend {
        let passes = Passes { instructions: Instructions::widest(), alone: ALONE };
        CpuBackend { limits, passes, memory, meter: Arc::default() }
    }
}

/// A buffer's memory.
pub(super) struct CpuBuffer {
    label: String,
    /// The buffer's begin behind `skipped`.
    words: RwLock<Vec<u32>>,
    skipped: usize,
    _counted: Counted,
}

impl core::fmt::Debug for CpuBuffer {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "CpuBuffer({})", self.label)
    }
}

impl AnyDebug for CpuBuffer {
    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl CpuBuffer {
    /// A panic elsewhere leaves words, which have no invariant to break: a poisoned lock is as good as any.
    fn read(&self) -> RwLockReadGuard<'_, Vec<u32>> {
        self.words.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Vec<u32>> {
        self.words.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Buffer {
    fn cpu(&self) -> Result<&CpuBuffer, GpuOptimError> {
        let buffer = self.handle.as_any().downcast_ref();
        buffer.ok_or_else(|| GpuOptimError::Device(format!("{:?} is not a buffer of the CPU back end", self.handle)))
    }
}

/// The words `start .. start + words` as indices of its memory, if the buffer holds them.
fn indices(buffer: &Buffer, start: u64, words: u64) -> Result<core::ops::Range<usize>, GpuOptimError> {
    buffer.check(start, words)?;
    let skipped = buffer.cpu()?.skipped;
    // A buffer that exists is no longer than the machine's memory.
    Ok(skipped + start as usize..skipped + (start + words) as usize)
}

impl Backend for CpuBackend {
    fn limits(&self) -> Limits {
        self.limits
    }

    fn allocate(&self, label: &str, words: u64) -> Result<Buffer, GpuOptimError> {
        self.limits.buffer_bytes(label, words)?;
        let bytes = words.saturating_mul(4);
        let most = self.memory;
        let counted = self.meter.count_within(bytes, most).map_err(|held| {
            let text =
                format!("buffer `{label}` of {bytes} bytes: {held} of the host's {most} bytes are promised to others");
            GpuOptimError::OutOfMemory(text)
        })?;
        memory::check_free(label, bytes)?;
        let zeros = zeros(&format!("buffer `{label}`"), words.saturating_add(LINE_WORDS as u64 - 1))?;
        // A pointer need not be able to tell; what is not aligned is slower, and no more.
        let skipped = zeros.as_ptr().align_offset(4 * LINE_WORDS).min(LINE_WORDS - 1);
        let handle = CpuBuffer { label: label.to_owned(), words: RwLock::new(zeros), skipped, _counted: counted };
        Ok(Buffer { words, handle: Arc::new(handle) })
    }

    fn write(&self, buffer: &Buffer, start: u64, words: &[u32]) -> Result<(), GpuOptimError> {
        let range = indices(buffer, start, words.len() as u64)?;
        buffer.cpu()?.write()[range].copy_from_slice(words);
        Ok(())
    }

    fn read(&self, buffer: &Buffer, start: u64, words: &mut [u32]) -> Result<(), GpuOptimError> {
        let range = indices(buffer, start, words.len() as u64)?;
        words.copy_from_slice(&buffer.cpu()?.read()[range]);
        Ok(())
    }

    fn copy(
        &self,
        from: &Buffer,
        from_start: u64,
        to: &Buffer,
        to_start: u64,
        words: u64,
    ) -> Result<(), GpuOptimError> {
        let (source, target) = (from.cpu()?, to.cpu()?);
        if Arc::ptr_eq(&from.handle, &to.handle) {
            return Err(GpuOptimError::Device(format!("a copy within {source:?}")));
        }
        let (source_range, target_range) = (indices(from, from_start, words)?, indices(to, to_start, words)?);
        target.write()[target_range].copy_from_slice(&source.read()[source_range]);
        Ok(())
    }

    fn check(&self) -> Result<(), GpuOptimError> {
        Ok(())
    }

    fn prepare(&self, _program: &'static Program) -> Result<(), GpuOptimError> {
        Ok(())
    }

    fn run(
        &self,
        writes: &[Write<'_>],
        launches: &[Launch<'_>],
        read: Option<&Slice>,
    ) -> Result<Option<Reading>, GpuOptimError> {
        writes.iter().try_for_each(|write| self.write(write.buffer, write.start, write.words))?;
        launches.iter().try_for_each(|launch| launch::run(launch, &self.limits, self.passes))?;
        read.map(|slice| Reading::done(self, slice)).transpose()
    }

    fn wait(&self) -> Result<(), GpuOptimError> {
        Ok(())
    }

    fn memory(&self) -> DeviceMemory {
        self.meter.read()
    }
}
