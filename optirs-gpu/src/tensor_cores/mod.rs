//! Planning for matrix units (NVIDIA's tensor cores): which precision and layout a product takes, in which order products
//! run, loss-scaled training, and 2:4 sparsity.
//!
//! Guarantees that nothing is measured or invented here: what a device is and how busy it is says the caller, and what the
//! caller does not know is left unknown. Products on the device are not part of this crate;
//! [`TensorCoreOptimizer::gemm`] says so.
//!
//! Sources: PTX ISA 8.5, "Matrix multiply-accumulate operation using mma instruction" (tiles, types, compute capabilities)
//! and its sparse form (2:4, ordered metadata); Micikevicius et al., "Mixed Precision Training", ICLR 2018; Mishra et al.,
//! "Accelerating Sparse Deep Neural Networks", 2021.
//!
//! ```
//! use optirs_gpu::tensor_cores::{
//!     GemmShape, HardwareUtilizationState, TensorCoreConfig, TensorCoreOptimizer, TensorCorePrecision,
//! };
//!
//! let planner = TensorCoreOptimizer::new(TensorCoreConfig { compute_capability: (9, 0), ..TensorCoreConfig::default() })?;
//! // Values up to 1000, to one part in a thousand: FP8 has neither, FP16 both.
//! assert_eq!(planner.precision_for(1000.0, 1e-3)?, TensorCorePrecision::Fp16);
//!
//! let projection = planner.plan(GemmShape { m: 1024, n: 768, k: 100 }, TensorCorePrecision::Fp16)?;
//! assert_eq!(projection.padded, GemmShape { m: 1024, n: 768, k: 112 });
//! assert_eq!(planner.schedule(&[projection], &HardwareUtilizationState::unknown_baseline())?, [0]);
//! # Ok::<(), optirs_gpu::GpuOptimError>(())
//! ```

mod layout;
mod precision;
mod schedule;
mod sparse;
mod trainer;

use crate::GpuOptimError;

pub use layout::{MatrixLayout, pack, unpack};
pub use precision::{FloatRange, TensorCorePrecision};
pub use schedule::HardwareUtilizationState;
pub use sparse::SparseTensorCoreMatrix;
pub use trainer::MixedPrecisionTrainer;

/// What products are planned for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TensorCoreConfig {
    /// CUDA's compute capability of the device.
    pub compute_capability: (u32, u32),
    /// Whether a precision of 8 bits may be chosen, which needs scales for each tensor.
    pub allow_eight_bits: bool,
}

impl Default for TensorCoreConfig {
    /// An A100, from which on all precisions of 16 bits and more are there; nothing of 8 bits.
    fn default() -> Self {
        Self { compute_capability: (8, 0), allow_eight_bits: false }
    }
}

/// The sizes of `C (m × n) = A (m × k) · B (k × n)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GemmShape {
    /// Rows of A and C.
    pub m: usize,
    /// Columns of B and C.
    pub n: usize,
    /// Columns of A, rows of B.
    pub k: usize,
}

impl GemmShape {
    fn map(self, by: Self, change: impl Fn(usize, usize) -> Option<usize>) -> Option<Self> {
        Some(Self { m: change(self.m, by.m)?, n: change(self.n, by.n)?, k: change(self.k, by.k)? })
    }

    fn volume(self) -> Option<u64> {
        (self.m as u64).checked_mul(self.n as u64)?.checked_mul(self.k as u64)
    }
}

/// How a product runs on matrix units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GemmPlan {
    /// The sizes that were asked for.
    pub shape: GemmShape,
    /// What the operands are.
    pub precision: TensorCorePrecision,
    /// Every size rounded up to whole tiles; what is added is zeros.
    pub padded: GemmShape,
    /// The layouts of A and B with which every lane reads consecutive elements along k.
    pub layouts: (MatrixLayout, MatrixLayout),
    /// `2 · m · n · k` of the product itself.
    pub operations: u64,
    /// Bytes of A and B in their precision, and of C in f32, without padding.
    pub bytes: u64,
    /// The part of the work on whole tiles that is not padding, in 0 ..= 1.
    pub efficiency: f64,
}

impl GemmPlan {
    /// Operations per byte: the more, the less memory limits.
    #[must_use]
    pub fn intensity(&self) -> f64 {
        self.operations as f64 / self.bytes as f64
    }
}

/// Plans products for one device. It holds no device.
#[derive(Debug, Clone)]
pub struct TensorCoreOptimizer {
    config: TensorCoreConfig,
}

impl TensorCoreOptimizer {
    /// For a device with matrix units.
    ///
    /// # Errors
    /// [`GpuOptimError::UnsupportedOperation`] below compute capability 7.0, which is without.
    pub fn new(config: TensorCoreConfig) -> Result<Self, GpuOptimError> {
        let (major, minor) = config.compute_capability;
        if major < 7 {
            let message = format!("compute capability {major}.{minor} has no tensor cores: they begin with 7.0");
            return Err(GpuOptimError::UnsupportedOperation(message));
        }
        Ok(Self { config })
    }

    /// What it plans for.
    #[must_use]
    pub fn config(&self) -> &TensorCoreConfig {
        &self.config
    }

    /// The precisions that the device has and the configuration allows, the narrowest first.
    pub fn precisions(&self) -> impl Iterator<Item = TensorCorePrecision> + '_ {
        TensorCorePrecision::ALL.into_iter().filter(|precision| {
            precision.least_compute_capability() <= self.config.compute_capability
                && (precision.bytes() > 1 || self.config.allow_eight_bits)
        })
    }

    /// The narrowest precision of floats that has `magnitude` in its normal range, or that is 0, and rounds numbers of that
    /// range by no more than `relative_error`; of equally wide ones the most precise.
    ///
    /// # Errors
    /// [`GpuOptimError::UnsupportedOperation`] if there is none; [`GpuOptimError::OutOfRange`] for NaN, or an error that is
    /// not above 0.
    pub fn precision_for(&self, magnitude: f64, relative_error: f64) -> Result<TensorCorePrecision, GpuOptimError> {
        let refuse = |field, value, range| Err(GpuOptimError::OutOfRange { field, value, range });
        if magnitude.is_nan() || magnitude < 0.0 {
            return refuse("magnitude", magnitude, "0..");
        }
        if relative_error.is_nan() || relative_error <= 0.0 {
            return refuse("relative_error", relative_error, "above 0");
        }
        let suffices = |precision: &TensorCorePrecision| match precision.float() {
            Some(FloatRange { least, largest, rounding }) => {
                (magnitude == 0.0 || (least..=largest).contains(&magnitude)) && rounding <= relative_error
            }
            None => false,
        };
        self.precisions().find(suffices).ok_or_else(|| {
            let had: Vec<String> = self.precisions().map(|precision| format!("{precision:?}")).collect();
            GpuOptimError::UnsupportedOperation(format!(
                "no precision of matrix units here ({}) holds {magnitude:e} and rounds by at most {relative_error:e}: use f32",
                had.join(", ")
            ))
        })
    }

    /// How a product of these sizes runs.
    ///
    /// # Errors
    /// [`GpuOptimError::OutOfRange`] for a size of 0; [`GpuOptimError::UnsupportedOperation`] for a precision that the device
    /// does not have or the configuration does not allow, or for sizes that 64 bits do not count.
    pub fn plan(&self, shape: GemmShape, precision: TensorCorePrecision) -> Result<GemmPlan, GpuOptimError> {
        for (field, size) in [("m", shape.m), ("n", shape.n), ("k", shape.k)] {
            if size == 0 {
                return Err(GpuOptimError::OutOfRange { field, value: 0.0, range: "1.." });
            }
        }
        if !self.precisions().any(|other| other == precision) {
            let (major, minor) = self.config.compute_capability;
            let message = format!("{precision:?} on compute capability {major}.{minor}, or it is not allowed");
            return Err(GpuOptimError::UnsupportedOperation(message));
        }
        let counted = || {
            let padded = shape.map(precision.tile(self.config.compute_capability), usize::checked_next_multiple_of)?;
            let (volume, padded_volume) = (shape.volume()?, padded.volume()?);
            let area = |a: usize, b: usize| (a as u64).checked_mul(b as u64);
            let operands = area(shape.m, shape.k)?.checked_add(area(shape.k, shape.n)?)?;
            let operand_bytes = operands.checked_mul(precision.bytes() as u64)?;
            Some(GemmPlan {
                shape,
                precision,
                padded,
                layouts: (MatrixLayout::RowMajor, MatrixLayout::ColumnMajor),
                operations: volume.checked_mul(2)?,
                bytes: area(shape.m, shape.n)?.checked_mul(4)?.checked_add(operand_bytes)?,
                efficiency: volume as f64 / padded_volume as f64,
            })
        };
        counted().ok_or_else(|| {
            GpuOptimError::UnsupportedOperation(format!(
                "a product of the sizes {shape:?}: 64 bits do not count its work"
            ))
        })
    }

    /// Would run a product on the device.
    ///
    /// # Errors
    /// Always [`GpuOptimError::UnsupportedOperation`]: this crate generates no kernels that use matrix units.
    pub fn gemm(&self, plan: &GemmPlan) -> Result<(), GpuOptimError> {
        let GemmShape { m, n, k } = plan.shape;
        Err(GpuOptimError::UnsupportedOperation(format!(
            "a product of {m} x {k} and {k} x {n} in {:?}: this crate plans for matrix units but runs nothing on them; use \
             the vendor's library (cuBLASLt, hipBLASLt)",
            plan.precision
        )))
    }
}

#[cfg(test)]
mod tests;
