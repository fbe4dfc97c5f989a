//! Which operations of a graph belong into one kernel, and how many bytes that saves.
//!
//! Guarantees that a plan is legal, that no two of its kernels could be merged further, and that its bytes are never more
//! than those of merging along edges in topological order. What is minimised, by merging best pair first, is the bytes that
//! all kernels read and write; the least possible is not promised, which is as hard as cutting a graph.
//!
//! A kernel is a set of operations that may run as one:
//!
//! * one operation of any kind; or elementwise operations, connected by edges whose producer's shape broadcasts to the
//!   consumer's (NumPy's rule), over one shape that all of them broadcast to;
//! * with [`FusionPlanner::with_multi_output`] also operations that read the same tensor, and reductions of what the kernel
//!   has at hand, whose results no operation of the same kernel uses: a sum is complete when the kernel ends;
//! * such that kernels can still be put into an order.
//!
//! It reads every tensor that it does not make once, and writes what is used elsewhere, used nowhere, or kept:
//!
//! ```text
//! bytes = Σ over kernels ( Σ bytes of the tensors it reads + Σ bytes of the tensors it writes )
//! ```
//!
//! Source of the terms: XLA's instruction fusion and multi-output fusion (`xla/service/gpu/transforms`); operator fusion as
//! in Niu et al., "DNNFusion", PLDI 2021.
//!
//! An update rule's own operations show why it is one kernel:
//!
//! ```
//! use optirs_gpu::kernel_fusion::{FusionGraph, FusionPlanner};
//! use optirs_gpu::rules::AdamW;
//!
//! let graph = FusionGraph::from_rule::<AdamW>()?;
//! let plan = FusionPlanner::new().plan(&graph)?;
//! // param, grad, m and v are read, param, m and v are written: 7 times 4 bytes per element.
//! assert_eq!((plan.num_groups(), plan.bytes_fused), (1, 28));
//! assert!(plan.speedup_estimate > 5.0);
//! # Ok::<(), optirs_gpu::GpuOptimError>(())
//! ```

mod graph;
mod partition;
mod planner;
mod rule;

use crate::GpuOptimError;

pub use graph::{FusionGraph, FusionOp, OpKind};
pub use planner::FusionPlanner;

/// Operations that run as one kernel.
#[derive(Debug, Clone)]
pub struct FusionGroup {
    /// Them, ascending.
    pub members: Vec<usize>,
    /// Operations outside whose results are read, ascending.
    pub external_inputs: Vec<usize>,
    /// Members whose results are written, ascending.
    pub external_outputs: Vec<usize>,
    /// Members whose results stay in registers, ascending.
    pub internal_intermediates: Vec<usize>,
    /// Bytes of `external_inputs`.
    pub bytes_read: u64,
    /// Bytes of `external_outputs`.
    pub bytes_written: u64,
}

impl FusionGroup {
    /// Bytes that the kernel moves.
    #[must_use]
    pub fn bytes_fused(&self) -> u64 {
        self.bytes_read.saturating_add(self.bytes_written)
    }

    /// Whether it is more than one operation.
    #[must_use]
    pub fn is_fused(&self) -> bool {
        self.members.len() > 1
    }
}

/// Kernels for all operations of a graph.
#[derive(Debug, Clone)]
pub struct FusionPlan {
    /// The kernels, by their first member. Every operation but [`OpKind::Load`], which runs nowhere, is in one of them.
    pub groups: Vec<FusionGroup>,
    /// Bytes moved with a kernel for each operation.
    pub bytes_unfused: u64,
    /// Bytes moved by the kernels of the plan.
    pub bytes_fused: u64,
    /// The first less the second.
    pub bytes_saved: u64,
    /// The first over the second: how much faster, where memory is what limits. 1 where nothing is moved.
    pub speedup_estimate: f64,
}

impl FusionPlan {
    /// Kernels.
    #[must_use]
    pub fn num_groups(&self) -> usize {
        self.groups.len()
    }

    /// How long the plan takes where only memory limits it: `bytes_fused / bandwidth`, in seconds. The bandwidth, in bytes
    /// per second, is what the device reaches, as a copy shows it; launches are not counted.
    ///
    /// # Errors
    /// [`GpuOptimError::OutOfRange`] if the bandwidth is not finite and above 0.
    pub fn seconds_at(&self, bandwidth: f64) -> Result<f64, GpuOptimError> {
        if bandwidth > 0.0 && bandwidth.is_finite() {
            return Ok(self.bytes_fused as f64 / bandwidth);
        }
        Err(GpuOptimError::OutOfRange { field: "bandwidth", value: bandwidth, range: "above 0" })
    }
}

#[cfg(test)]
mod tests;
