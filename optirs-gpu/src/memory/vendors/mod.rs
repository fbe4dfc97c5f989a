//! Pools, streams and statistics as CUDA, ROCm, oneAPI and Metal have them, over host memory: what uses a GPU's memory can
//! be written, tested and counted where there is no such GPU.
//!
//! There is one implementation, [`MemoryPool`]; a [`VendorProfile`] says in what vendors differ. Guarantees:
//!
//! * No vendor's library is called and no device is opened: the bytes of a pool are a `Vec` of this process.
//! * Copies move bytes, in the order that streams and events give them, and not before somebody waits for them: a host that
//!   reads too early gets an error here, where a device would give whatever is there. Two streams that use the same memory
//!   without an event between them are not detected: their commands run in the order in which somebody waits for them.
//! * What the host cannot reach on a device it cannot reach here ([`MemoryKind::Device`]).
//! * Statistics are counts of what was done. There are no times and no bandwidths: those of the host would say nothing about
//!   a device.
//!
//! ```
//! use optirs_gpu::memory::vendors::{MemoryKind, MemoryPool, VendorProfile};
//!
//! let mut pool = MemoryPool::new(VendorProfile::CUDA, 1 << 20)?;
//! let gradients = pool.allocate(4096, MemoryKind::Device)?;
//! let staging = pool.allocate(4096, MemoryKind::Host)?;
//!
//! let stream = pool.create_stream();
//! pool.write(stream, gradients, &[7; 4096])?;
//! pool.copy(stream, gradients.slice(0..1024)?, staging.slice(1024..2048)?)?;
//! assert!(pool.bytes(staging).is_err()); // nobody has waited for the copy
//! pool.synchronize(stream)?;
//! assert_eq!(pool.bytes(staging)?[1023..1026], [0, 7, 7]);
//! assert!(pool.bytes(gradients).is_err()); // from cudaMalloc: the host cannot read it
//!
//! pool.free(gradients)?;
//! let statistics = pool.statistics();
//! assert_eq!((statistics.used, statistics.peak), (4096, 8192));
//! assert_eq!((statistics.bytes_written, statistics.bytes_copied), (4096, 1024));
//! # Ok::<(), optirs_gpu::memory::MemoryError>(())
//! ```

mod pool;
mod profile;
mod streams;
#[cfg(test)]
mod tests;
mod transfers;

pub use pool::{Buffer, BufferSlice, MemoryPool, MemoryStatistics};
pub use profile::{MemoryKind, VendorProfile};
pub use streams::{Event, Stream};

use super::MemoryError;
