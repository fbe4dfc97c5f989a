//! Recording: what a step asks of the back end becomes commands, which then go into an encoder of somebody else's.
//!
//! Commands stand in the encoder in the order in which they were asked for, and nothing is there until all are known: a
//! step that fails has recorded nothing.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::WgpuBackend;
use super::buffer::handle;
use super::copies::BufferCopy;
use super::launch::{ReadyDispatch, encode};
use crate::GpuOptimError;
use crate::backend::{Backend, Buffer, DeviceMemory, Launch, Limits, Reading, Slice, Write};
use crate::rule::Program;

/// A back end that records. What it allocates is the real one's.
#[derive(Debug)]
pub(crate) struct Recorder {
    backend: Arc<WgpuBackend>,
    recorded: Mutex<Recorded>,
}

#[derive(Debug, Default)]
struct Recorded {
    commands: Vec<Command>,
    /// Buffers, by identity, that were allocated while recording and that no command writes yet. They are written at once:
    /// nothing before the commands reads them, and tables are good for steps that are not recorded, too.
    fresh: HashSet<u64>,
}

#[derive(Debug)]
enum Command {
    Copy(BufferCopy),
    Run(Vec<ReadyDispatch>),
}

impl Recorder {
    /// Nothing recorded yet.
    pub fn over(backend: Arc<WgpuBackend>) -> Self {
        Self { backend, recorded: Mutex::default() }
    }

    /// Puts what was recorded into an encoder of the same device.
    pub fn replay(&self, encoder: &mut wgpu::CommandEncoder) -> Result<(), GpuOptimError> {
        let Recorded { commands, .. } = core::mem::take(&mut *self.recorded());
        self.backend.health.scoped(|| {
            for command in &commands {
                match command {
                    Command::Copy(copy) => copy.encode(encoder),
                    Command::Run(dispatches) => encode(dispatches, encoder),
                }
            }
        })
    }

    fn recorded(&self) -> MutexGuard<'_, Recorded> {
        self.recorded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Words of the host in a buffer that a command can copy from.
    fn staged(&self, words: &[u32]) -> Result<wgpu::Buffer, GpuOptimError> {
        let bytes: &[u8] = bytemuck::cast_slice(words);
        let health = &self.backend.health;
        let staging = health.scoped(|| {
            self.backend.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("optirs recorded write"),
                size: bytes.len() as u64,
                usage: wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: true,
            })
        })?;
        let unwritable = |error: wgpu::MapRangeError| health.cause(GpuOptimError::Device(error.to_string()));
        let mut view = staging.get_mapped_range_mut(..).map_err(unwritable)?;
        view.copy_from_slice(bytes);
        drop(view);
        health.scoped(|| staging.unmap())?;
        Ok(staging)
    }
}

impl Backend for Recorder {
    fn limits(&self) -> Limits {
        self.backend.limits()
    }

    fn allocate(&self, label: &str, words: u64) -> Result<Buffer, GpuOptimError> {
        let buffer = self.backend.allocate(label, words)?;
        let id = handle(&buffer, &self.backend.groups_weak())?.id;
        self.recorded().fresh.insert(id);
        Ok(buffer)
    }

    fn write(&self, buffer: &Buffer, start: u64, words: &[u32]) -> Result<(), GpuOptimError> {
        buffer.check(start, words.len() as u64)?;
        let target = handle(buffer, &self.backend.groups_weak())?;
        if words.is_empty() {
            return Ok(());
        }
        if self.recorded().fresh.contains(&target.id) {
            return self.backend.write(buffer, start, words);
        }
        let (from, to) = (self.staged(words)?, target.raw.clone());
        let (to_start, length) = (start * 4, words.len() as u64 * 4);
        let copy = BufferCopy { from, from_start: 0, to, to_start, length };
        self.recorded().commands.push(Command::Copy(copy));
        Ok(())
    }

    fn read(&self, buffer: &Buffer, start: u64, words: &mut [u32]) -> Result<(), GpuOptimError> {
        self.backend.read(buffer, start, words)
    }

    fn copy(
        &self,
        from: &Buffer,
        from_start: u64,
        to: &Buffer,
        to_start: u64,
        words: u64,
    ) -> Result<(), GpuOptimError> {
        from.check(from_start, words)?;
        to.check(to_start, words)?;
        if words == 0 {
            return Ok(());
        }
        let groups = self.backend.groups_weak();
        let (source, target) = (handle(from, &groups)?, handle(to, &groups)?);
        let mut recorded = self.recorded();
        recorded.fresh.remove(&target.id);
        recorded.commands.push(Command::Copy(BufferCopy {
            from: source.raw.clone(),
            from_start: from_start * 4,
            to: target.raw.clone(),
            to_start: to_start * 4,
            length: words * 4,
        }));
        Ok(())
    }

    fn check(&self) -> Result<(), GpuOptimError> {
        self.backend.check()
    }

    fn prepare(&self, program: &'static Program) -> Result<(), GpuOptimError> {
        self.backend.prepare(program)
    }

    fn run(
        &self,
        writes: &[Write<'_>],
        launches: &[Launch<'_>],
        read: Option<&Slice>,
    ) -> Result<Option<Reading>, GpuOptimError> {
        if read.is_some() {
            return Err(GpuOptimError::UnsupportedOperation(
                "a recorded step cannot be one that the device may skip, for nobody reads whether it was: clip by \
                 value or not at all, and do without the loss scaler, or call `step`"
                    .to_owned(),
            ));
        }
        let dispatches = self.backend.dispatches(launches)?;
        self.backend.check()?;
        writes.iter().try_for_each(|write| self.write(write.buffer, write.start, write.words))?;
        self.recorded().commands.push(Command::Run(dispatches));
        Ok(None)
    }

    fn wait(&self) -> Result<(), GpuOptimError> {
        self.backend.wait()
    }

    fn memory(&self) -> DeviceMemory {
        self.backend.memory()
    }
}
