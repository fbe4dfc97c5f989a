//! Cuts the chunks of a step into dispatch ranges and writes their tables, as `rule::records` lays them out.
//!
//! A new range begins where the segment changes, and where a table would outgrow a binding or a 2-D grid. Indices of
//! partial records count over the whole step, so a tensor's partials follow one another whatever ranges they came from.

use super::states::Stretch;
use super::word;
use crate::GpuOptimError;
use crate::backend::Limits;
use crate::rule::records::{CHUNK_WORDS, ChunkRecord, HEADER_WORDS, TENSOR_WORDS, TensorRecord};

/// A tensor that takes part in a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Participant<'a> {
    /// Its slot in the scalars.
    pub slot: usize,
    /// Index of its row.
    pub row: u32,
    /// Word of the scalars that holds its clip coefficient.
    pub clip: u32,
    /// Elements, at least 1.
    pub len: u64,
    /// Where it lies, in order.
    pub stretches: &'a [Stretch],
}

/// All tables of a step, one behind the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tables {
    /// The words of one buffer.
    pub words: Vec<u32>,
    /// The dispatch ranges.
    pub ranges: Vec<TableRange>,
    /// The table of all tensors, for the finishes.
    pub tensors: Table,
    /// Partial records of the step.
    pub partials: u64,
}

/// A table in [`Tables::words`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Table {
    /// First word, aligned for binding.
    pub start: u64,
    /// Words.
    pub words: u64,
    /// Tensors in it.
    pub tensors: u32,
    /// Chunks in it.
    pub chunks: u32,
}

/// A dispatch range: its table and the segment, hence the arena, that its starts are relative to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TableRange {
    pub segment: usize,
    pub table: Table,
}

/// Plans a step over these tensors with chunks of `chunk` elements.
pub(crate) fn plan(participants: &[Participant<'_>], chunk: u64, limits: &Limits) -> Result<Tables, GpuOptimError> {
    let width = u64::from(limits.grid_width);
    let mut planner = Planner {
        tables: Tables::default(),
        alignment: limits.alignment_words.max(1),
        most_words: limits.binding_words,
        most_groups: width.saturating_mul(width),
        segment: 0,
        tensors: Vec::new(),
        chunks: Vec::new(),
    };
    let mut records = Vec::with_capacity(participants.len());
    let mut stretches = Vec::new();
    for tensor in participants {
        let first = planner.tables.partials;
        let count = tensor.len.div_ceil(chunk);
        let record = TensorRecord {
            row: tensor.row,
            cell_stride: 0,
            slot: word("a tensor's slot", tensor.slot as u64)?,
            len: u32::try_from(tensor.len).unwrap_or(u32::MAX),
            first_partial: word("the number of chunks", first)?,
            partials: word("the number of chunks of a tensor", count)?,
            clip: tensor.clip,
        };
        records.push(record);
        for stretch in tensor.stretches {
            let record = TensorRecord { cell_stride: word("a state's stride", stretch.stride)?, ..record };
            stretches.push((record, stretch));
        }
        planner.tables.partials = first + count;
    }
    // Tensors in memory of others may come in any order; one range per segment is enough for them, too.
    stretches.sort_by_key(|(_, stretch)| stretch.segment);
    for (record, stretch) in stretches {
        planner.stretch(record, stretch, chunk)?;
    }
    planner.close()?;
    planner.tables.tensors = planner.write(&records, &[])?;
    Ok(planner.tables)
}

/// The range that is being filled, and what has been written.
struct Planner {
    tables: Tables,
    alignment: u64,
    most_words: u64,
    /// Workgroups of a 2-D grid.
    most_groups: u64,
    segment: usize,
    tensors: Vec<TensorRecord>,
    chunks: Vec<ChunkRecord>,
}

impl Planner {
    fn stretch(&mut self, tensor: TensorRecord, stretch: &Stretch, chunk: u64) -> Result<(), GpuOptimError> {
        if self.segment != stretch.segment {
            self.close()?;
            self.segment = stretch.segment;
        }
        let mut listed = false;
        let mut done = 0;
        while done < stretch.len {
            if self.is_full(listed) {
                self.close()?;
                listed = false;
            }
            if !listed {
                self.tensors.push(tensor);
                listed = true;
            }
            let len = chunk.min(stretch.len - done);
            let param_start = word("a start in an arena", stretch.param_start + done)?;
            let partial = u64::from(tensor.first_partial) + (stretch.offset + done) / chunk;
            self.chunks.push(ChunkRecord {
                param_start,
                grad_start: word("a start in an arena", stretch.grad_start + done)?,
                state_start: word("a start in a state segment", stretch.state_start + done)?,
                input_start: param_start,
                len: word("a chunk", len)?,
                tensor: word("a tensor's place", self.tensors.len() as u64 - 1)?,
                partial: word("the number of chunks", partial)?,
            });
            done += len;
        }
        Ok(())
    }

    /// Whether no further chunk fits, with a tensor record if its tensor is not `listed` yet.
    fn is_full(&self, listed: bool) -> bool {
        let tensors = self.tensors.len() + usize::from(!listed);
        let chunks = self.chunks.len() as u64 + 1;
        let words = HEADER_WORDS as u64 + (TENSOR_WORDS * tensors) as u64 + CHUNK_WORDS as u64 * chunks;
        !self.chunks.is_empty() && (chunks > self.most_groups || words > self.most_words)
    }

    fn close(&mut self) -> Result<(), GpuOptimError> {
        if self.chunks.is_empty() {
            return Ok(());
        }
        let (tensors, chunks) = (core::mem::take(&mut self.tensors), core::mem::take(&mut self.chunks));
        let table = self.write(&tensors, &chunks)?;
        self.tables.ranges.push(TableRange { segment: self.segment, table });
        Ok(())
    }

    fn write(&mut self, tensors: &[TensorRecord], chunks: &[ChunkRecord]) -> Result<Table, GpuOptimError> {
        let words = &mut self.tables.words;
        let start = (words.len() as u64).next_multiple_of(self.alignment);
        let length = HEADER_WORDS + TENSOR_WORDS * tensors.len() + CHUNK_WORDS * chunks.len();
        let exceeds = |needed: u64, limit: u64, unit| {
            let what = "the table of a step".to_owned();
            if needed > limit { Err(GpuOptimError::LimitExceeded { what, needed, limit, unit }) } else { Ok(()) }
        };
        exceeds(4 * length as u64, self.most_words.saturating_mul(4), "bytes")?;
        exceeds(tensors.len() as u64, self.most_groups, "workgroups, one for each tensor")?;
        let table = Table {
            start,
            words: length as u64,
            tensors: word("the number of tensors", tensors.len() as u64)?,
            chunks: word("the number of chunks", chunks.len() as u64)?,
        };
        words.resize(start as usize, 0);
        words.extend([table.chunks, table.tensors, f32::INFINITY.to_bits(), f32::NEG_INFINITY.to_bits(), 0, 0, 0, 0]);
        words.extend(tensors.iter().flat_map(TensorRecord::to_words));
        words.extend(chunks.iter().flat_map(ChunkRecord::to_words));
        Ok(table)
    }
}
