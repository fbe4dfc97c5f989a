//! What generated CPU kernels are called with, and the fixed order in which sums are taken on every target.

/// Arguments of a pass over one chunk. Words of reals are f32 bits.
#[derive(Debug)]
pub struct ChunkArguments<'a> {
    /// The tensor's row.
    pub row: &'a [u32],
    /// The record of all tensors.
    pub all: &'a [u32],
    /// The tensor's record.
    pub tensor: &'a [u32],
    /// The tensor's clip coefficient.
    pub clip: f32,
    /// The chunk's parameters.
    pub param: &'a mut [f32],
    /// The chunk's gradients; empty where the program takes none.
    pub grad: &'a [f32],
    /// The chunk's extra inputs, by index; empty slices for those not bound.
    pub inputs: &'a [&'a [f32]],
    /// The chunk's element states, in the variant's order, each as long as `param`.
    pub states: &'a mut [&'a mut [f32]],
    /// The chunk's partial record.
    pub partials: &'a mut [u32],
}

/// Arguments of a finish over one tensor.
#[derive(Debug)]
pub struct TensorArguments<'a> {
    /// The tensor's row.
    pub row: &'a [u32],
    /// The record of all tensors.
    pub all: &'a [u32],
    /// The tensor's record.
    pub tensor: &'a mut [u32],
    /// The tensor's clip coefficient.
    pub clip: f32,
    /// The tensor's partial records, in order of its chunks.
    pub partials: &'a [u32],
    /// Words of one partial record.
    pub partial_words: usize,
}

/// Arguments of the finish over all tensors.
#[derive(Debug)]
pub struct AllArguments<'a> {
    /// Row 0, for fields of extent Const.
    pub row: &'a [u32],
    /// The record of all tensors.
    pub all: &'a mut [u32],
    /// Tensor records of all slots.
    pub tensors: &'a [u32],
    /// Words of one tensor record.
    pub tensor_words: usize,
    /// Slots of the tensors that take part, in table order.
    pub slots: &'a [u32],
}
