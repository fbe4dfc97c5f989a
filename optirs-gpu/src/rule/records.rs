//! The kernel ABI in numbers: what stands where in the table and scalars buffers. The compiler prints shaders against
//! the same numbers (`optimizer_specs::layout`); a test holds the two together.
//!
//! A table, in 32-bit words, is self-contained: `[header: 8][tensor record: 8] × tensors [chunk record: 8] × chunks`.
//! A pass runs one table per dispatch range; the finishes run one table of all tensors that take part, without chunks.
//! Tables start on a multiple of 256 bytes in their buffer, so that each can be bound on its own.

/// Threads of a workgroup.
pub const WORKGROUP_SIZE: usize = 256;
/// Lanes of a workgroup: each thread holds four. Element i of a chunk is summed by lane `i % LANES`.
pub const LANES: usize = 4 * WORKGROUP_SIZE;
/// Elements of a chunk in programs with reductions. It decides the bits of sums: part of the contract.
pub const REDUCTION_CHUNK: usize = 8192;
/// Elements of a chunk in programs without reductions: a choice of speed alone.
pub const ELEMENT_CHUNK: usize = 1024;
/// Words of a table's header: `{chunks, tensors, bits of +inf, bits of -inf, 0, 0, 0, 0}`.
pub const HEADER_WORDS: usize = 8;
/// Words of a tensor record: `{row, cell_stride, slot, len, first_partial, partials, clip, 0}`.
pub const TENSOR_WORDS: usize = 8;
/// Words of a chunk record: `{param_start, grad_start, state_start, input_start, len, tensor, partial, 0}`.
pub const CHUNK_WORDS: usize = 8;
/// Words of the scalars header: `{found_inf, clip of tensors without one of their own, norm of all gradients, 0}`.
pub const SCALARS_HEADER_WORDS: usize = 4;
/// Every tensor starts on a multiple of this many f32 in an arena of ours (256 bytes).
pub const TENSOR_ALIGNMENT: usize = 64;

/// A tensor as the kernels see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct TensorRecord {
    /// Index of its row.
    pub row: u32,
    /// Elements from one state cell of this tensor (part) to the next.
    pub cell_stride: u32,
    /// Its slot in the scalars buffer: its identity, not its place in this table.
    pub slot: u32,
    /// Elements, saturated at `u32::MAX`; for reading only, kernels take counts from chunks.
    pub len: u32,
    /// Index of its first chunk's partial record.
    pub first_partial: u32,
    /// How many partial records it has.
    pub partials: u32,
    /// Word of the scalars buffer that holds its clip coefficient.
    pub clip: u32,
}

/// A chunk as the kernels see it. Starts are in elements from the start of what is bound, multiples of 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct ChunkRecord {
    /// Where its parameters start.
    pub param_start: u32,
    /// Where its gradients start.
    pub grad_start: u32,
    /// Where cell 0 of its element states starts; cell k starts at `state_start + k * cell_stride`.
    pub state_start: u32,
    /// Where its extra inputs start.
    pub input_start: u32,
    /// Elements, at least 1.
    pub len: u32,
    /// Its tensor's place in this table.
    pub tensor: u32,
    /// Index of its partial record.
    pub partial: u32,
}

impl TensorRecord {
    /// As it stands in a table.
    pub fn to_words(&self) -> [u32; TENSOR_WORDS] {
        let TensorRecord { row, cell_stride, slot, len, first_partial, partials, clip } = *self;
        [row, cell_stride, slot, len, first_partial, partials, clip, 0]
    }

    /// Reads it back.
    pub fn from_words(words: &[u32; TENSOR_WORDS]) -> TensorRecord {
        let [row, cell_stride, slot, len, first_partial, partials, clip, _] = *words;
        TensorRecord { row, cell_stride, slot, len, first_partial, partials, clip }
    }
}

impl ChunkRecord {
    /// As it stands in a table.
    pub fn to_words(&self) -> [u32; CHUNK_WORDS] {
        let ChunkRecord { param_start, grad_start, state_start, input_start, len, tensor, partial } = *self;
        [param_start, grad_start, state_start, input_start, len, tensor, partial, 0]
    }

    /// Reads it back.
    pub fn from_words(words: &[u32; CHUNK_WORDS]) -> ChunkRecord {
        let [param_start, grad_start, state_start, input_start, len, tensor, partial, _] = *words;
        ChunkRecord { param_start, grad_start, state_start, input_start, len, tensor, partial }
    }
}
