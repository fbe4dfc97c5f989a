//! Optimizers for sparse gradients: of embeddings, where a step touches some rows of many.
//!
//! Time and memory of a step follow the entries that the gradient stores; parameters beside them are neither read nor
//! written. [`SparseAdam`] is torch's `SparseAdam`, or keeps step with dense Adam ([`LazyAdamMode`]); [`SparseSgd`] has
//! momentum for what is touched. A gradient is a [`CooGradient`] of a vector or a [`CsrGradient`] of a matrix; both are
//! checked when they are made.
//!
//! ```
//! use optirs_gpu::ndarray::Array2;
//! use optirs_gpu::{CooGradient, CsrGradient, LazyAdamMode, SparseAdamConfig, SparseAdamTable};
//!
//! let mut embeddings = Array2::<f64>::zeros((1_000_000, 2));
//! let config = SparseAdamConfig { lr: 0.1, mode: LazyAdamMode::DormancyDecay, ..SparseAdamConfig::default() };
//! let mut optimizer = SparseAdamTable::new(config);
//!
//! // Row 7 twice: duplicates are summed.
//! let entries = CooGradient::new_unsorted(vec![14, 15, 400, 15], vec![1.0, 2.0, -1.0, 2.0], 2_000_000)?;
//! let gradient = CsrGradient::from_coo(&entries, embeddings.dim())?;
//! assert_eq!(gradient.row(7)?, ([0, 1].as_slice(), [1.0, 4.0].as_slice()));
//! optimizer.step(&mut embeddings, &gradient)?;
//! assert!((embeddings[[7, 1]] + 0.1).abs() < 1e-6 && (embeddings[[200, 0]] - 0.1).abs() < 1e-6);
//! assert_eq!(optimizer.touched_rows(), 2);
//!
//! // A step that touches neither: their moments move them on, when it matters.
//! optimizer.step(&mut embeddings, &CsrGradient::empty(gradient.shape()))?;
//! optimizer.catch_up(&mut embeddings)?;
//! assert!(embeddings[[7, 1]] < -0.15);
//! # Ok::<(), optirs_gpu::GpuOptimError>(())
//! ```

mod adam;
mod coo;
mod csr;
mod dormancy;
mod rows;
mod sgd;

pub use adam::{LazyAdamMode, SparseAdam, SparseAdamConfig, SparseAdamTable};
pub use coo::CooGradient;
pub use csr::CsrGradient;
pub use sgd::{SparseSgd, SparseSgdConfig, SparseSgdTable};
