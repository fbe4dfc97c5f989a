//! The system's allocator, with a count of what is asked of it while somebody counts.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The allocator of a program that counts.
pub struct Counting;

/// Off while times are taken: a counter that threads share would be a part of them.
static ON: AtomicBool = AtomicBool::new(false);
static COUNT: AtomicU64 = AtomicU64::new(0);

/// How often the host's memory was asked for, by all threads, in the course of some work. 0 in a program whose allocator is
/// another.
pub fn during<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let before = COUNT.load(Ordering::Relaxed);
    ON.store(true, Ordering::Relaxed);
    let done = work();
    ON.store(false, Ordering::Relaxed);
    (done, COUNT.load(Ordering::Relaxed) - before)
}

fn count() {
    if ON.load(Ordering::Relaxed) {
        COUNT.fetch_add(1, Ordering::Relaxed);
    }
}

#[expect(unsafe_code, reason = "an allocator is unsafe to implement")]
// SAFETY: all memory is the system allocator's, which is called with the arguments as they come; counting is beside it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: as the caller's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: as the caller's.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller's.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as the caller's.
        unsafe { System.realloc(pointer, layout, size) }
    }
}
