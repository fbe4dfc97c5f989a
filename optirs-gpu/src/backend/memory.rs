//! Counts what a back end has allocated: a number goes up with each buffer and the bytes come down when it is freed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a device holds for its users: buffers of parameters, gradients, states and tables. Short-lived staging memory
/// of a driver is not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceMemory {
    /// Buffers ever allocated: it stays the same from one step to the next when steps allocate nothing.
    pub allocations: u64,
    /// Buffers that exist.
    pub buffers: u64,
    /// Bytes of the buffers that exist.
    pub bytes: u64,
}

/// The counters of one device.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    allocations: AtomicU64,
    buffers: AtomicU64,
    bytes: AtomicU64,
}

impl Meter {
    /// Counts a new buffer, until the result is dropped: keep it in the buffer's handle.
    pub fn count(self: &Arc<Self>, bytes: u64) -> Counted {
        self.allocations.fetch_add(1, Ordering::Relaxed);
        self.buffers.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        Counted { meter: Arc::clone(self), bytes }
    }

    /// The counts now.
    pub fn read(&self) -> DeviceMemory {
        DeviceMemory {
            allocations: self.allocations.load(Ordering::Relaxed),
            buffers: self.buffers.load(Ordering::Relaxed),
            bytes: self.bytes.load(Ordering::Relaxed),
        }
    }
}

/// A buffer that is counted.
#[derive(Debug)]
pub(crate) struct Counted {
    meter: Arc<Meter>,
    bytes: u64,
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.meter.buffers.fetch_sub(1, Ordering::Relaxed);
        self.meter.bytes.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freed_buffers_leave_only_the_number_of_allocations() {
        let meter = Arc::new(Meter::default());
        let first = meter.count(16);
        let second = meter.count(100);
        assert_eq!(meter.read(), DeviceMemory { allocations: 2, buffers: 2, bytes: 116 });
        drop(first);
        assert_eq!(meter.read(), DeviceMemory { allocations: 2, buffers: 1, bytes: 100 });
        drop(second);
        assert_eq!(meter.read(), DeviceMemory { allocations: 2, buffers: 0, bytes: 0 });
    }
}
