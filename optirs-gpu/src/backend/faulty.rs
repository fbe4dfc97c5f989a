//! A back end whose calls go to another one, but one of them fails: for tests of what a failure leaves behind. It counts
//! dispatches, too.

use core::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::Arc;

use super::{Backend, Buffer, DeviceMemory, Launch, Limits, Reading, Slice, Write};
use crate::rule::Program;
use crate::{AdapterInfo, Device, GpuOptimError};

/// What is asked of a back end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    Allocate,
    Write,
    Read,
    Copy,
    Check,
    Prepare,
    Run,
    Wait,
}

/// What happens in place of the call, or before it.
type Fault = Box<dyn Fn(Call) -> Result<(), GpuOptimError> + Send + Sync>;

/// Another back end with a fault.
pub(crate) struct Faulty {
    inner: Arc<dyn Backend>,
    /// Which calls are counted.
    counts: fn(Call) -> bool,
    fault: Fault,
    /// The counted call after the next `left` ones meets the fault; below 0, none does.
    left: AtomicI64,
    dispatched: AtomicUsize,
}

impl Faulty {
    /// Over the back end of a device, with a fault among these calls.
    pub fn new(device: &Device, counts: fn(Call) -> bool, fault: Fault) -> Arc<Faulty> {
        Arc::new(Faulty {
            inner: Arc::clone(device.raw()),
            counts,
            fault,
            left: AtomicI64::new(-1),
            dispatched: AtomicUsize::new(0),
        })
    }

    /// Over the back end of a device, with an allocation for which there is no memory.
    pub fn without_memory(device: &Device) -> Arc<Faulty> {
        let refused = |_| Err(GpuOptimError::OutOfMemory("an injected limit".to_owned()));
        Self::new(device, |call| call == Call::Allocate, Box::new(refused))
    }

    /// As a device of the same kind.
    pub fn device(self: &Arc<Self>, like: &Device) -> Device {
        Device::over(Arc::clone(self) as _, like.backend(), AdapterInfo::clone(like.adapter()))
    }

    /// Lets the counted call after the next `left` ones meet the fault; returns what was left so far.
    pub fn set(&self, left: i64) -> i64 {
        self.left.swap(left, Ordering::Relaxed)
    }

    /// Whether the fault has been met, or was not asked for.
    pub fn is_spent(&self) -> bool {
        self.left.load(Ordering::Relaxed) < 0
    }

    /// Dispatches since this was asked last.
    pub fn dispatched(&self) -> usize {
        self.dispatched.swap(0, Ordering::Relaxed)
    }

    fn call(&self, call: Call) -> Result<(), GpuOptimError> {
        if !(self.counts)(call) || self.left.fetch_sub(1, Ordering::Relaxed) != 0 {
            return Ok(());
        }
        (self.fault)(call)
    }
}

impl core::fmt::Debug for Faulty {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        formatter.debug_tuple("Faulty").field(&self.inner).finish()
    }
}

impl Backend for Faulty {
    fn limits(&self) -> Limits {
        self.inner.limits()
    }

    fn allocate(&self, label: &str, words: u64) -> Result<Buffer, GpuOptimError> {
        self.call(Call::Allocate)?;
        self.inner.allocate(label, words)
    }

    fn write(&self, buffer: &Buffer, start: u64, words: &[u32]) -> Result<(), GpuOptimError> {
        self.call(Call::Write)?;
        self.inner.write(buffer, start, words)
    }

    fn read(&self, buffer: &Buffer, start: u64, words: &mut [u32]) -> Result<(), GpuOptimError> {
        self.call(Call::Read)?;
        self.inner.read(buffer, start, words)
    }

    fn copy(&self, from: &Buffer, start: u64, to: &Buffer, to_start: u64, words: u64) -> Result<(), GpuOptimError> {
        self.call(Call::Copy)?;
        self.inner.copy(from, start, to, to_start, words)
    }

    fn check(&self) -> Result<(), GpuOptimError> {
        self.call(Call::Check)?;
        self.inner.check()
    }

    fn prepare(&self, program: &'static Program) -> Result<(), GpuOptimError> {
        self.call(Call::Prepare)?;
        self.inner.prepare(program)
    }

    fn run(
        &self,
        writes: &[Write<'_>],
        launches: &[Launch<'_>],
        read: Option<&Slice>,
    ) -> Result<Option<Reading>, GpuOptimError> {
        self.call(Call::Run)?;
        let count = |launch: &Launch<'_>| -> usize {
            launch.program.kernels.iter().map(|kernel| launch.dispatches(kernel).count()).sum()
        };
        self.dispatched.fetch_add(launches.iter().map(count).sum(), Ordering::Relaxed);
        self.inner.run(writes, launches, read)
    }

    fn receive(&self, reading: &Reading) -> Result<Vec<u32>, GpuOptimError> {
        self.call(Call::Wait)?;
        self.inner.receive(reading)
    }

    fn wait(&self) -> Result<(), GpuOptimError> {
        self.call(Call::Wait)?;
        self.inner.wait()
    }

    fn memory(&self) -> DeviceMemory {
        self.inner.memory()
    }
}
