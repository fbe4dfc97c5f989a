//! Memory: counts of what a back end has allocated, and large pieces of the host's.
//!
//! The number of allocations goes up with each buffer; buffers and bytes come down when one is freed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::GpuOptimError;

/// Zeros in the host's memory, for as many words as a tensor has. The system is asked for the memory, and refuses it,
/// before any of it is touched.
pub(crate) fn zeros(what: &str, words: u64) -> Result<Vec<u32>, GpuOptimError> {
    let refused = || {
        let bytes = u128::from(words) * 4;
        GpuOptimError::OutOfMemory(format!("{what}: the host has no {bytes} bytes for it"))
    };
    let words = usize::try_from(words).map_err(|_| refused())?;
    bytemuck::try_zeroed_vec(words).map_err(|()| refused())
}

/// What a device holds for its users: buffers of parameters, gradients, states and tables. Staging memory is not counted:
/// through wgpu, a device keeps at most 64 MiB once tensors of more than 256 KiB have gone up and more than 64 KiB have
/// come down, and 128 KiB for each step in flight. What wgpu and the driver make for smaller writes is of a moment.
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
    #[cfg(any(test, feature = "wgpu", all(feature = "metal", target_os = "macos")))]
    pub fn count(self: &Arc<Self>, bytes: u64) -> Counted {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.counted(bytes)
    }

    /// Counts a new buffer if there are at most so many bytes with it, else says how many there are without.
    pub fn count_within(self: &Arc<Self>, bytes: u64, most: u64) -> Result<Counted, u64> {
        let within = |held: u64| held.checked_add(bytes).filter(|held| *held <= most);
        self.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, within)?;
        Ok(self.counted(bytes))
    }

    fn counted(self: &Arc<Self>, bytes: u64) -> Counted {
        self.allocations.fetch_add(1, Ordering::Relaxed);
        self.buffers.fetch_add(1, Ordering::Relaxed);
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

    #[test]
    fn what_would_exceed_the_most_is_not_counted() {
        let meter = Arc::new(Meter::default());
        let held = meter.count_within(60, 100).unwrap();
        assert_eq!(meter.count_within(41, 100).err(), Some(60));
        assert_eq!(meter.count_within(u64::MAX, u64::MAX).err(), Some(60));
        let all = meter.count_within(40, 100).unwrap();
        assert_eq!(meter.read(), DeviceMemory { allocations: 2, buffers: 2, bytes: 100 });
        drop((held, all));
        assert_eq!(meter.read(), DeviceMemory { allocations: 2, buffers: 0, bytes: 0 });
    }

    #[test]
    fn memory_that_the_host_does_not_have_is_refused_in_bytes() {
        assert_eq!(zeros("a test", 3).unwrap(), [0, 0, 0]);
        let error = zeros("a test", u64::MAX).unwrap_err().to_string();
        assert!(
            error.starts_with("out of memory: a test: the host has no 73786976294838206460 bytes for it"),
            "{error}"
        );
    }
}
