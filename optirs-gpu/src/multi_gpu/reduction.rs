//! The mean over ranks, on the device: one dispatch per rank and chunk, none of which is waited for, and one wait.
//!
//! The kernels are those of the program `accumulate`: `assign` writes the first rank's gradients times 1/ranks, `update`
//! adds those of each further one. That is NCCL's `ncclAvg` for floats, a sum of what was multiplied before
//! (`ncclDevPreMulSum`), in the order of the ranks.

use core::ops::Range;

use scirs2_core::ndarray::{ArrayView1, aview1};

use crate::programs::{Accumulate, AccumulateParams};
use crate::{Device, GpuOptimError, Optimizer, ParamSet};

/// Memory for so many elements, in chunks: the mean, and the gradients of a rank.
#[derive(Debug)]
pub(super) struct Reduction {
    set: ParamSet,
    kernels: Optimizer<Accumulate>,
    /// Names and elements of the chunks; the last one is what is left.
    chunks: Vec<(String, Range<usize>)>,
}

impl Reduction {
    /// Memory for `len` elements in at most so many chunks.
    pub(super) fn new(device: &Device, len: usize, most_chunks: usize) -> Result<Self, GpuOptimError> {
        let chunk = chunk_length(len, most_chunks);
        let starts = (0..len).step_by(chunk);
        let chunks: Vec<_> = starts.map(|start| (format!("from {start}"), start..len.min(start + chunk))).collect();
        // One value seen through a stride of 0: no zeros are held on the host.
        let zero = aview1(&[0.0]);
        let values = |elements: &Range<usize>| zero.broadcast(elements.len());
        let tensors = chunks.iter().filter_map(|(name, elements)| Some((name.as_str(), values(elements)?)));
        let set = ParamSet::new(device, tensors)?;
        Ok(Self { set, kernels: Optimizer::on(device, AccumulateParams {})?, chunks })
    }

    /// Whether it is for so many elements in at most so many chunks.
    pub(super) fn is_for(&self, len: usize, most_chunks: usize) -> bool {
        let chunk = chunk_length(len, most_chunks);
        self.chunks.last().map_or(0, |(_, elements)| elements.end) == len && self.chunks.len() == len.div_ceil(chunk)
    }

    /// `mean[i] = Σ_r gradients_r[i] · (1 / ranks)`, each product and sum rounded to f32, in the order of the ranks.
    pub(super) fn mean(&mut self, ranks: &[Vec<f32>]) -> Result<Vec<f32>, GpuOptimError> {
        self.kernels.set_grad_scale(1.0 / ranks.len().max(1) as f32)?;
        for (name, elements) in &self.chunks {
            // Only this chunk takes part, whatever a call that failed has left.
            self.set.clear_grads();
            for (rank, gradients) in ranks.iter().enumerate() {
                self.set.write_grad(name, &ArrayView1::from(&gradients[elements.clone()]))?;
                match rank {
                    0 => self.kernels.run_entry("assign", &mut self.set)?,
                    _ => self.kernels.step(&mut self.set)?,
                }
            }
        }
        self.set.read_all()
    }
}

/// Elements of every chunk but the last.
fn chunk_length(len: usize, most_chunks: usize) -> usize {
    len.div_ceil(most_chunks.max(1)).max(1)
}
