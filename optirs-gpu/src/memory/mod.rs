//! Memory as GPU code needs it planned, without a GPU: where blocks lie, what stays resident, what moves where.
//!
//! * [`allocation`] places blocks by their offsets alone, so one allocator serves host and device buffers.
//! * [`management`] decides what stays resident, what moves together, what is garbage and what is wanted next.
//! * [`vendors`] has the pools and streams of CUDA, ROCm, oneAPI and Metal, over host memory.
//!
//! Nothing here opens a device, and nothing is unsafe. Every error is a [`MemoryError`] with the values that were wrong; a
//! call that returns one has changed nothing, but that [`MemoryPool::read`] may have waited for its stream.

pub mod allocation;
mod error;
pub mod management;
pub mod vendors;

pub use error::MemoryError;
pub use vendors::MemoryPool;
