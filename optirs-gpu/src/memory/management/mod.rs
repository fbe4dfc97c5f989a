//! What stays in a memory that is too small for everything, and where: [`ResidentSet`] evicts, [`DefragmentationPlan`] moves
//! blocks together, [`Heap`] frees what nobody refers to, [`Prefetcher`] says what will be wanted next.
//!
//! All of it decides and none of it acts: the answers are keys, moves and addresses, which the caller carries out on its own
//! memory. The same calls give the same answers.
//!
//! ```
//! use optirs_gpu::memory::management::{EvictionPolicy, ResidentSet};
//!
//! // Three layers' states, of 40 bytes each, in a memory of 100.
//! let mut resident = ResidentSet::new(EvictionPolicy::Lru, 100)?;
//! resident.access("layer 0", 40, 1)?;
//! resident.access("layer 1", 40, 1)?;
//! let access = resident.access("layer 2", 40, 1)?;
//! assert_eq!((access.hit, access.evicted), (false, vec!["layer 0"]));
//! # Ok::<(), optirs_gpu::memory::MemoryError>(())
//! ```

mod collection;
mod defragmentation;
mod eviction;
mod orders;
mod prefetching;
#[cfg(test)]
mod tests;

pub use collection::{Handle, Heap};
pub use defragmentation::{DefragmentationPlan, Move, Placed};
pub use eviction::{Access, EvictionPolicy, ResidentSet};
pub use prefetching::{PrefetchPattern, Prefetcher};

use super::MemoryError;
