//! Copies between the host's memory and mapped buffers by several threads: one is slower than the way to the device.
//!
//! The threads are a pool that does nothing else. A thread of rayon's takes up other work while it waits for its own, and
//! that could wait for a buffer, or for a lock of the caller's, that is held until the copy is done. So a caller that is
//! itself a thread of such a pool copies alone: there are others beside it.

use std::sync::LazyLock;

use rayon::{ThreadPool, ThreadPoolBuilder};

/// Bytes that a thread copies at a time.
const SHARE: usize = 1 << 20;

/// More than these hardly copy faster.
const THREADS: usize = 4;

/// None where the system has no threads to give.
static COPIERS: LazyLock<Option<ThreadPool>> = LazyLock::new(|| {
    let named = ThreadPoolBuilder::new().thread_name(|place| format!("optirs copy {place}"));
    named.num_threads(THREADS).build().ok()
});

/// Runs a copy of so many bytes, which is told how many to take at a time.
pub(super) fn in_shares<T: Send>(bytes: usize, copy: impl FnOnce(usize) -> T + Send) -> T {
    if bytes <= SHARE || rayon::current_thread_index().is_some() {
        return copy(bytes.max(1));
    }
    match COPIERS.as_ref() {
        Some(pool) => pool.install(|| copy(SHARE)),
        None => copy(bytes),
    }
}
