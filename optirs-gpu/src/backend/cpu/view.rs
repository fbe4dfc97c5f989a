//! Slices under their locks, and tables as records.

use std::sync::{RwLockReadGuard, RwLockWriteGuard};

use super::indices;
use crate::GpuOptimError;
use crate::backend::Slice;
use crate::rule::records::{CHUNK_WORDS, ChunkRecord, HEADER_WORDS, TENSOR_WORDS, TensorRecord};

/// A slice under a read lock.
pub(super) struct View<'a> {
    slice: &'a Slice,
    memory: RwLockReadGuard<'a, Vec<u32>>,
}

impl<'a> View<'a> {
    pub(super) fn of(slice: &'a Slice) -> Result<View<'a>, GpuOptimError> {
        Ok(View { slice, memory: slice.buffer.cpu()?.read() })
    }

    pub(super) fn words(&self) -> Result<&[u32], GpuOptimError> {
        Ok(&self.memory[indices(&self.slice.buffer, self.slice.start, self.slice.words)?])
    }

    pub(super) fn reals(&self) -> Result<&[f32], GpuOptimError> {
        Ok(bytemuck::cast_slice(self.words()?))
    }
}

/// A slice under a write lock.
pub(super) struct ViewMut<'a> {
    slice: &'a Slice,
    memory: RwLockWriteGuard<'a, Vec<u32>>,
}

impl<'a> ViewMut<'a> {
    pub(super) fn of(slice: &'a Slice) -> Result<ViewMut<'a>, GpuOptimError> {
        Ok(ViewMut { slice, memory: slice.buffer.cpu()?.write() })
    }

    pub(super) fn words(&mut self) -> Result<&mut [u32], GpuOptimError> {
        Ok(&mut self.memory[indices(&self.slice.buffer, self.slice.start, self.slice.words)?])
    }

    pub(super) fn reals(&mut self) -> Result<&mut [f32], GpuOptimError> {
        Ok(bytemuck::cast_slice_mut(self.words()?))
    }
}

/// A table, read back.
pub(super) struct Records {
    pub tensors: Vec<TensorRecord>,
    pub chunks: Vec<ChunkRecord>,
}

impl Records {
    /// Every chunk names a tensor of the table. Chunks of a tensor that follow one another are one, up to `longest` elements;
    /// with 0 all of them are apart.
    pub(super) fn read(slice: &Slice, longest: u32) -> Result<Records, GpuOptimError> {
        let view = View::of(slice)?;
        let words = view.words()?;
        let malformed = || GpuOptimError::Device(format!("a table of {} words is malformed", words.len()));
        let &[chunk_count, tensor_count, ..] = words else { return Err(malformed()) };
        let (tensors, chunks) = words
            .get(HEADER_WORDS..)
            .and_then(|records| records.split_at_checked(TENSOR_WORDS * tensor_count as usize))
            .ok_or_else(malformed)?;
        let (tensors, chunks) = (tensors.as_chunks().0, chunks.as_chunks::<CHUNK_WORDS>().0);
        let mut joined: Vec<ChunkRecord> = Vec::with_capacity(chunks.len());
        for chunk in chunks.iter().map(ChunkRecord::from_words) {
            match joined.last_mut() {
                Some(last) if follows(last, &chunk, longest) => last.len += chunk.len,
                _ => joined.push(chunk),
            }
        }
        let named = joined.iter().all(|chunk| chunk.tensor < tensor_count);
        if named && chunks.len() == chunk_count as usize {
            Ok(Records { tensors: tensors.iter().map(TensorRecord::from_words).collect(), chunks: joined })
        } else {
            Err(malformed())
        }
    }
}

/// Whether a chunk goes on where another ends, in every arena, and both have at most `longest` elements.
fn follows(chunk: &ChunkRecord, next: &ChunkRecord, longest: u32) -> bool {
    let starts = |chunk: &ChunkRecord| [chunk.param_start, chunk.grad_start, chunk.state_start, chunk.input_start];
    next.tensor == chunk.tensor
        && chunk.len.saturating_add(next.len) <= longest
        && starts(chunk).map(|start| start.wrapping_add(chunk.len)) == starts(next)
}

/// The `len` items at `start` that a record points to.
pub(super) fn part<'a, T>(what: &str, items: &'a [T], start: usize, len: usize) -> Result<&'a [T], GpuOptimError> {
    let range = start.checked_add(len).map(|end| start..end);
    range
        .and_then(|range| items.get(range))
        .ok_or_else(|| GpuOptimError::Device(format!("{what}: {len} at {start} lie outside of {}", items.len())))
}
