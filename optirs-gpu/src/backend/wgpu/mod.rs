//! The wgpu back end: Vulkan, Metal and DX12.
//!
//! It guarantees that no call panics, whatever the device does; that a call on a lost device fails at once; that every
//! wait ends within the time limit; and that a step is one submission. On a device that was handed in, it installs no
//! callbacks.

mod bind;
mod buffer;
mod copies;
mod copying;
mod flight;
mod health;
mod kept;
mod launch;
mod loops;
mod mapping;
mod memory;
mod open;
mod program;
mod record;
mod scope;
mod staging;
#[cfg(test)]
pub(crate) mod tests;
mod transfer;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use bind::BindGroups;
use buffer::WgpuBuffer;
use flight::{Flight, Submission};
use health::Health;
pub(crate) use open::{adapters, foreign, open};
use program::{Programs, Shared};
pub(crate) use record::Recorder;
use staging::{Direction, Ring};

use crate::GpuOptimError;
use crate::backend::{Backend, Buffer, Counted, DeviceMemory, Launch, Limits, Meter, Reading, Slice, Write};
use crate::rule::Program;

/// A wgpu device and its queue.
#[derive(Debug)]
pub(crate) struct WgpuBackend {
    device: wgpu::Device,
    queue: wgpu::Queue,
    limits: Limits,
    health: Arc<Health>,
    flight: Flight,
    programs: Programs,
    groups: Arc<BindGroups>,
    meter: Arc<Meter>,
    buffers: AtomicU64,
    /// What is written and read in pieces.
    upward: Arc<Ring>,
    downward: Arc<Ring>,
    /// What steps bring along, and what is read that is small.
    brought: Arc<Ring>,
    answers: Arc<Ring>,
    /// Bytes that were written and wait for a submission. Held while something is written or submitted, so that none are
    /// taken for submitted that another thread is only about to write.
    staged: Mutex<usize>,
    /// Whether we opened it and must not close it.
    keep: bool,
}

impl WgpuBackend {
    /// A back end on a device. `ours` says that we opened it.
    pub fn new(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        ours: bool,
        steps_in_flight: usize,
        timeout: Duration,
    ) -> Result<Self, GpuOptimError> {
        open::check_device(device)?;
        let health = Arc::new(Health::new(device, ours)?);
        Ok(Self {
            limits: open::limits(&device.limits()),
            flight: Flight::new(device, queue, &health, steps_in_flight, timeout),
            upward: Ring::large(device, &health, Direction::Up),
            downward: Ring::large(device, &health, Direction::Down),
            brought: Ring::small(device, &health, Direction::Up, steps_in_flight),
            answers: Ring::small(device, &health, Direction::Down, steps_in_flight),
            device: device.clone(),
            queue: queue.clone(),
            health,
            programs: Programs::default(),
            groups: Arc::default(),
            meter: Arc::default(),
            buffers: AtomicU64::new(0),
            staged: Mutex::default(),
            keep: ours && kept::is_needed(&device.adapter_info()),
        })
    }

    /// The device and the queue.
    pub fn parts(&self) -> (&wgpu::Device, &wgpu::Queue) {
        (&self.device, &self.queue)
    }

    fn buffer(&self, raw: wgpu::Buffer, counted: Option<Counted>) -> Buffer {
        let words = raw.size() / 4;
        let id = self.buffers.fetch_add(1, Ordering::Relaxed);
        Buffer { words, handle: Arc::new(WgpuBuffer { raw, id, groups: self.groups_weak(), _counted: counted }) }
    }

    /// The wgpu buffer behind a buffer, for kernels of others.
    pub fn unwrap(&self, buffer: &Buffer) -> Result<wgpu::Buffer, GpuOptimError> {
        Ok(buffer::handle(buffer, &self.groups_weak())?.raw.clone())
    }

    fn groups_weak(&self) -> Weak<BindGroups> {
        Arc::downgrade(&self.groups)
    }

    fn staged(&self) -> MutexGuard<'_, usize> {
        self.staged.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Submits what was written and waits for a submission.
    fn submit_staged(&self) -> Result<(), GpuOptimError> {
        self.flight.make_room()?;
        self.health.scoped(|| self.flight.watch(&self.submit(None)))
    }

    /// Submits commands, and with them all that was written before.
    fn submit(&self, commands: Option<wgpu::CommandBuffer>) -> Submission {
        let mut staged = self.staged();
        *staged = 0;
        self.flight.submit(commands)
    }
}

impl Drop for WgpuBackend {
    fn drop(&mut self) {
        if !self.keep {
            return;
        }
        // What is in flight holds on to its buffers.
        match self.wait() {
            Err(GpuOptimError::DeviceLost(_)) => kept::abandon(&self.device, &self.queue),
            _ => kept::keep(&self.device, &self.queue),
        }
    }
}

impl Backend for WgpuBackend {
    fn limits(&self) -> Limits {
        self.limits
    }

    fn allocate(&self, label: &str, words: u64) -> Result<Buffer, GpuOptimError> {
        self.health.check()?;
        let size = self.limits.buffer_bytes(label, words)?;
        let raw = self
            .health
            .scoped(|| {
                self.device.create_buffer(&wgpu::BufferDescriptor {
                    label: Some(label),
                    size,
                    usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
                    mapped_at_creation: false,
                })
            })
            .map_err(|error| match error {
                GpuOptimError::OutOfMemory(text) => {
                    GpuOptimError::OutOfMemory(format!("buffer `{label}` of {size} bytes: {text}"))
                }
                other => other,
            })?;
        Ok(Buffer { words, ..self.buffer(raw, Some(self.meter.count(size))) })
    }

    fn write(&self, buffer: &Buffer, start: u64, words: &[u32]) -> Result<(), GpuOptimError> {
        self.write_words(buffer, start, words)
    }

    fn read(&self, buffer: &Buffer, start: u64, words: &mut [u32]) -> Result<(), GpuOptimError> {
        self.read_words(buffer, start, words)
    }

    fn copy(
        &self,
        from: &Buffer,
        from_start: u64,
        to: &Buffer,
        to_start: u64,
        words: u64,
    ) -> Result<(), GpuOptimError> {
        self.copy_words((from, from_start), (to, to_start), words)
    }

    fn check(&self) -> Result<(), GpuOptimError> {
        self.health.check()
    }

    fn prepare(&self, program: &'static Program) -> Result<(), GpuOptimError> {
        self.health.check()?;
        self.programs.get(&self.device, &self.health, program, Shared::default()).map(drop)
    }

    fn run(
        &self,
        writes: &[Write<'_>],
        launches: &[Launch<'_>],
        read: Option<&Slice>,
    ) -> Result<Option<Reading>, GpuOptimError> {
        self.launch(writes, launches, read)
    }

    fn receive(&self, reading: &Reading) -> Result<Vec<u32>, GpuOptimError> {
        self.end_read(reading)
    }

    fn wait(&self) -> Result<(), GpuOptimError> {
        let staged = *self.staged();
        if staged > 0 {
            self.submit_staged()?;
        }
        self.flight.wait_for(None, "all submitted work")?;
        self.health.check()
    }

    fn memory(&self) -> DeviceMemory {
        self.meter.read()
    }
}
