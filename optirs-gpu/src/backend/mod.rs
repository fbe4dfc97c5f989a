//! What the runtime asks of a back end. Buffers are words; a step is one [`Launch`].
//!
//! The runtime above this trait knows tensors, groups and rules; a back end knows buffers and kernels. `wgpu`, `cpu`
//! and (macOS) `metal` implement it.

pub(crate) mod cpu;
mod dispatch;
#[cfg(test)]
pub(crate) mod faulty;
mod memory;
#[cfg(any(test, all(feature = "metal", target_os = "macos")))]
pub(crate) mod metal;
#[cfg(feature = "wgpu")]
pub(crate) mod wgpu;

use core::any::Any;
use core::fmt::Debug;
use std::sync::Arc;

pub(crate) use dispatch::Dispatch;
pub use memory::DeviceMemory;
pub(crate) use memory::{Counted, Meter, zeros};

use crate::GpuOptimError;
use crate::rule::{Program, Role, Variant};

/// A buffer of 32-bit words on a back end. Cloning shares it; the last clone frees it.
#[derive(Clone, Debug)]
pub(crate) struct Buffer {
    /// Words.
    pub words: u64,
    /// The back end's own handle.
    pub handle: Arc<dyn AnyDebug>,
}

impl Buffer {
    /// All of it.
    pub fn whole(&self) -> Slice {
        Slice { buffer: self.clone(), start: 0, words: self.words }
    }
}

/// `Any` that can be printed.
pub(crate) trait AnyDebug: Any + Debug + Send + Sync {
    /// For downcasts by the back end that made it.
    fn as_any(&self) -> &dyn Any;
}

impl AnyDebug for Vec<u32> {
    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Words that are on their way from the device: the back end's own handle.
#[derive(Clone, Debug)]
pub(crate) struct Reading(pub Arc<dyn AnyDebug>);

impl Reading {
    /// Of a back end whose work is done: the words as they are now.
    fn done(backend: &dyn Backend, slice: &Slice) -> Result<Reading, GpuOptimError> {
        let mut words = zeros("words that are read", slice.words)?;
        backend.read(&slice.buffer, slice.start, &mut words)?;
        Ok(Reading(Arc::new(words)))
    }
}

/// A part of a buffer, in words.
#[derive(Clone, Debug)]
pub(crate) struct Slice {
    /// Of what.
    pub buffer: Buffer,
    /// First word; a multiple of [`Limits::alignment_words`] where it is bound.
    pub start: u64,
    /// How many.
    pub words: u64,
}

/// What the planner must respect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Largest buffer, in words.
    pub buffer_words: u64,
    /// Largest binding, in words.
    pub binding_words: u64,
    /// Bound slices start on a multiple of this.
    pub alignment_words: u64,
    /// Most workgroups along one dimension of a dispatch.
    pub grid_width: u32,
}

/// One dispatch range of a pass: a table and the arenas that its starts are relative to.
#[derive(Clone, Debug)]
pub(crate) struct Range {
    /// The table (see [`crate::rule::records`]).
    pub table: Slice,
    /// Chunks in the table.
    pub chunks: u32,
    /// `Param`, `Gradient`, `State`, `Input(n)`: what each role binds. A role that no kernel binds may be absent.
    pub arenas: Vec<(Role, Slice)>,
}

/// One run of a program over the tensors that take part.
#[derive(Debug)]
pub(crate) struct Launch<'a> {
    /// The rule's variant.
    pub variant: &'static Variant,
    /// What to run.
    pub program: &'static Program,
    /// Rows, `program.row_words` each, which the run may bring along.
    pub hyper: &'a Slice,
    /// Scalars.
    pub scalars: &'a Slice,
    /// Partial records of all chunks; absent without reductions.
    pub partials: Option<&'a Slice>,
    /// Every pass runs all of these before its finishes.
    pub ranges: &'a [Range],
    /// A table without chunks that lists every tensor that takes part, once, for the finishes.
    pub tensors: &'a Slice,
    /// Tensors in that table.
    pub tensor_count: u32,
}

/// Words that a run brings along: rows and flags, which are anew with each step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Write<'a> {
    /// Where they go.
    pub buffer: &'a Buffer,
    /// The first word there.
    pub start: u64,
    /// What is written.
    pub words: &'a [u32],
}

/// A back end.
pub(crate) trait Backend: Debug + Send + Sync {
    /// Its limits.
    fn limits(&self) -> Limits;
    /// A buffer of zeros.
    fn allocate(&self, label: &str, words: u64) -> Result<Buffer, GpuOptimError>;
    /// Writes words at a start. Ordered before every later call.
    fn write(&self, buffer: &Buffer, start: u64, words: &[u32]) -> Result<(), GpuOptimError>;
    /// Reads words, waiting for all earlier work on the buffer.
    fn read(&self, buffer: &Buffer, start: u64, words: &mut [u32]) -> Result<(), GpuOptimError>;
    /// Copies words between buffers (not within one).
    fn copy(&self, from: &Buffer, from_start: u64, to: &Buffer, to_start: u64, words: u64)
    -> Result<(), GpuOptimError>;
    /// Fails if the device is lost. What allocates, writes, copies or runs asks by itself.
    fn check(&self) -> Result<(), GpuOptimError>;
    /// Compiles what the program needs, unless it has been compiled; so that a step cannot fail on it.
    fn prepare(&self, program: &'static Program) -> Result<(), GpuOptimError>;
    /// Writes words, in order, runs programs, each after the one before, and then asks for words, if any, a few: one
    /// submission, without waiting for it. What is written comes after every earlier call.
    fn run(
        &self,
        writes: &[Write<'_>],
        launches: &[Launch<'_>],
        read: Option<&Slice>,
    ) -> Result<Option<Reading>, GpuOptimError>;
    /// The words that were asked for, once; waits for them. Where the wait fails, it may be called again. A back end whose
    /// work is done when a call returns has them already.
    fn receive(&self, reading: &Reading) -> Result<Vec<u32>, GpuOptimError> {
        let read = reading.0.as_any().downcast_ref::<Vec<u32>>().cloned();
        read.ok_or_else(|| GpuOptimError::Device(format!("{reading:?} belongs to another back end")))
    }
    /// Waits until all work is done.
    fn wait(&self) -> Result<(), GpuOptimError>;
    /// What has been allocated: a [`Meter`]'s counts.
    fn memory(&self) -> DeviceMemory;
}

impl Limits {
    /// The bytes of a buffer of so many words: whole vectors of four, and never none, for an empty buffer cannot be
    /// bound. Every back end refuses what is beyond its limit here, whether or not there is memory for it.
    pub fn buffer_bytes(&self, label: &str, words: u64) -> Result<u64, GpuOptimError> {
        let needed = words.max(1).checked_next_multiple_of(4).unwrap_or(u64::MAX).saturating_mul(4);
        let limit = self.buffer_words.saturating_mul(4);
        if needed > limit {
            let what = format!("buffer `{label}`");
            return Err(GpuOptimError::LimitExceeded { what, needed, limit, unit: "bytes" });
        }
        Ok(needed)
    }

    /// The grid of a dispatch of that many workgroups: group i is at (i % x, i / x), and those past the last one return
    /// at once. As few groups are wasted as two dimensions allow.
    pub fn grid(&self, groups: u32) -> Result<[u32; 3], GpuOptimError> {
        let rows = groups.div_ceil(self.grid_width.max(1));
        if rows > self.grid_width {
            let limit = u64::from(self.grid_width).pow(2);
            return Err(GpuOptimError::LimitExceeded {
                what: "a dispatch".to_owned(),
                needed: groups.into(),
                limit,
                unit: "workgroups",
            });
        }
        Ok([groups.div_ceil(rows.max(1)), rows, 1])
    }
}

impl Buffer {
    /// Fails unless the words lie in the buffer.
    pub fn check(&self, start: u64, words: u64) -> Result<(), GpuOptimError> {
        match start.checked_add(words) {
            Some(end) if end <= self.words => Ok(()),
            _ => Err(GpuOptimError::InvalidState(format!(
                "words {start}.. of length {words} do not lie in a buffer of {} words",
                self.words
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(grid_width: u32) -> Limits {
        Limits { buffer_words: 1 << 28, binding_words: 1 << 28, alignment_words: 64, grid_width }
    }

    #[test]
    fn a_grid_covers_every_group_and_wastes_less_than_a_row() {
        assert_eq!(limits(65_535).grid(1).unwrap(), [1, 1, 1]);
        assert_eq!(limits(65_535).grid(65_535).unwrap(), [65_535, 1, 1]);
        assert_eq!(limits(65_535).grid(65_536).unwrap(), [32_768, 2, 1]);
        assert_eq!(limits(3).grid(7).unwrap(), [3, 3, 1]);
        assert_eq!(limits(3).grid(9).unwrap(), [3, 3, 1]);
    }

    #[test]
    fn a_buffer_is_of_whole_vectors_and_refused_beyond_the_limit_with_both_numbers() {
        assert_eq!(limits(1).buffer_bytes("states", 0).unwrap(), 16);
        assert_eq!(limits(1).buffer_bytes("states", 5).unwrap(), 32);
        assert_eq!(limits(1).buffer_bytes("states", 1 << 28).unwrap(), 1 << 30);
        let error = limits(1).buffer_bytes("states", (1 << 28) + 1).unwrap_err().to_string();
        assert_eq!(error, "buffer `states` needs 1073741840 bytes, but this device allows at most 1073741824");
        assert!(matches!(limits(1).buffer_bytes("states", u64::MAX), Err(GpuOptimError::LimitExceeded { .. })));
    }

    #[test]
    fn more_groups_than_two_dimensions_hold_are_refused_with_both_numbers() {
        let error = limits(3).grid(10).unwrap_err().to_string();
        assert_eq!(error, "a dispatch needs 10 workgroups, but this device allows at most 9");
    }
}
