//! The system's allocator, with counts of what is allocated and not freed.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The allocator of this program.
pub struct Counting;

static BYTES: AtomicUsize = AtomicUsize::new(0);
static PIECES: AtomicUsize = AtomicUsize::new(0);

/// Bytes and pieces of the host's memory that are in use now, by all threads.
pub fn in_use() -> (usize, usize) {
    (BYTES.load(Ordering::Relaxed), PIECES.load(Ordering::Relaxed))
}

fn count(pointer: *mut u8, bytes: usize) -> *mut u8 {
    if !pointer.is_null() {
        BYTES.fetch_add(bytes, Ordering::Relaxed);
        PIECES.fetch_add(1, Ordering::Relaxed);
    }
    pointer
}

// SAFETY: all memory is the system allocator's, which is called with the arguments as they come; counting is beside it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller's.
        count(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller's.
        count(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        BYTES.fetch_sub(layout.size(), Ordering::Relaxed);
        PIECES.fetch_sub(1, Ordering::Relaxed);
        // SAFETY: as the caller's.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as the caller's.
        let moved = unsafe { System.realloc(pointer, layout, size) };
        if !moved.is_null() {
            BYTES.fetch_add(size, Ordering::Relaxed);
            BYTES.fetch_sub(layout.size(), Ordering::Relaxed);
        }
        moved
    }
}
