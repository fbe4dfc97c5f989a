//! The context, its buffers and transfers. Every call holds one lock: a batch belongs to the context, and would swallow
//! the dispatches of other threads.

use core::any::Any;
use core::fmt;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use scirs2_core::gpu::backends::metal::Device as SystemDevice;
use scirs2_core::gpu::{GpuBackend, GpuBuffer, GpuContext, GpuKernelHandle};

use super::source::{CLEAR, COPY, NAMES, check_bindings, of_kernel};
use crate::GpuOptimError;
use crate::backend::{AnyDebug, Backend, Buffer, Counted, DeviceMemory, Launch, Limits, Meter, Reading, Slice, Write};
use crate::device::{AdapterInfo, AdapterKind, DeviceConfig, LimitsChoice};
use crate::rule::Program;

/// scirs2-core cuts larger buffers off without a word.
const LARGEST_BUFFER_WORDS: u64 = 1 << 28;
/// Words of one piece of a transfer that does not start at 0.
const PIECE_WORDS: usize = 8 << 20;

/// scirs2-core's Metal context on the default device.
pub(crate) struct MetalBackend {
    system: SystemDevice,
    pub(super) limits: Limits,
    meter: Arc<Meter>,
    work: Mutex<Work>,
}

/// What is used under the lock.
pub(super) struct Work {
    pub context: GpuContext,
    /// A small buffer, for kernels to hold on to.
    pub nothing: GpuBuffer<u32>,
    copy: GpuKernelHandle,
    clear: GpuKernelHandle,
    /// By the program's address: it lives as long as the process.
    pub programs: HashMap<usize, Arc<Vec<GpuKernelHandle>>>,
}

impl fmt::Debug for MetalBackend {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("MetalBackend").field("limits", &self.limits).finish_non_exhaustive()
    }
}

/// The handle behind a [`Buffer`].
#[derive(Debug)]
pub(super) struct MetalBuffer {
    pub raw: GpuBuffer<u32>,
    _counted: Counted,
}

impl AnyDebug for MetalBuffer {
    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// The handle of a buffer of this back end.
pub(super) fn handle(buffer: &Buffer) -> Result<&MetalBuffer, GpuOptimError> {
    let handle = buffer.handle.as_any().downcast_ref();
    handle.ok_or_else(|| GpuOptimError::InvalidState("the buffer belongs to another device".to_owned()))
}

/// The system's default Metal device. No process is started to find it.
pub(crate) fn adapter() -> Option<AdapterInfo> {
    let system = SystemDevice::system_default()?;
    Some(AdapterInfo {
        name: system.name().to_owned(),
        interface: "Metal through scirs2-core",
        kind: if system.has_unified_memory() { AdapterKind::Integrated } else { AdapterKind::Discrete },
        memory: Some(system.recommended_max_working_set_size()),
        limits: Some(limits(&system, LimitsChoice::Adapter).into()),
        not_taken: Some("taken only with the back end `Metal`".to_owned()),
        ..AdapterInfo::cpu()
    })
}

/// Opens the default Metal device.
pub(crate) fn open(config: &DeviceConfig) -> Result<(MetalBackend, AdapterInfo), GpuOptimError> {
    let none =
        || GpuOptimError::NoAdapter("the system has no Metal device; run on the CPU with `Device::cpu()`".into());
    let system = SystemDevice::system_default().ok_or_else(none)?;
    let info = AdapterInfo { not_taken: None, ..adapter().ok_or_else(none)? };
    let context = GpuContext::new(GpuBackend::Metal)?;
    let work = Work {
        copy: compile(&context, COPY)?,
        clear: compile(&context, CLEAR)?,
        nothing: context.create_buffer(4),
        context,
        programs: HashMap::new(),
    };
    let backend =
        MetalBackend { limits: limits(&system, config.limits), system, meter: Arc::default(), work: Mutex::new(work) };
    Ok((backend, info))
}

fn limits(system: &SystemDevice, choice: LimitsChoice) -> Limits {
    let buffer_words = LARGEST_BUFFER_WORDS.min(system.max_buffer_length() / 4);
    // A dispatch counts its threads in 32 bits.
    let own = Limits { buffer_words, binding_words: buffer_words, alignment_words: 64, grid_width: 1 << 23 };
    own.chosen(choice)
}

fn compile(context: &GpuContext, source: &str) -> Result<GpuKernelHandle, GpuOptimError> {
    Ok(context.execute(|compiler| compiler.compile(source))?)
}

impl Work {
    /// A buffer of these words.
    pub fn upload(&self, words: &[u32]) -> GpuBuffer<u32> {
        self.context.create_buffer_from_slice(words)
    }

    /// Copies words on the device, and waits for it.
    pub fn copy(&self, from: (&GpuBuffer<u32>, u32), to: (&GpuBuffer<u32>, u32), words: u32) {
        self.dispatch(&self.copy, &[from.0, to.0, &self.upload(&[from.1, to.1, words])], words);
    }

    fn clear(&self, buffer: &GpuBuffer<u32>, words: u32) {
        self.dispatch(&self.clear, &[buffer, &self.upload(&[words])], words);
    }

    /// Runs a kernel of ours over so many words, outside of a batch.
    fn dispatch(&self, kernel: &GpuKernelHandle, buffers: &[&GpuBuffer<u32>], words: u32) {
        for (name, buffer) in NAMES.iter().zip(buffers) {
            kernel.set_buffer(name, buffer);
        }
        kernel.dispatch([words.div_ceil(256), 1, 1]);
        for (name, _) in NAMES.iter().zip(buffers) {
            kernel.set_buffer(name, &self.nothing);
        }
    }

    /// The kernels of a program, compiled once.
    pub fn program(&mut self, program: &'static Program) -> Result<Arc<Vec<GpuKernelHandle>>, GpuOptimError> {
        let key = core::ptr::from_ref(program) as usize;
        if let Some(kernels) = self.programs.get(&key) {
            return Ok(Arc::clone(kernels));
        }
        let compiled = program.kernels.iter().map(|kernel| {
            check_bindings(kernel)?;
            compile(&self.context, &of_kernel(program.msl, kernel.name)?)
        });
        let kernels = Arc::new(compiled.collect::<Result<Vec<_>, _>>()?);
        self.programs.insert(key, Arc::clone(&kernels));
        Ok(kernels)
    }
}

impl MetalBackend {
    pub(super) fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A number of words as kernels take it. Buffers are smaller than 2³² words.
fn word(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

impl Backend for MetalBackend {
    fn limits(&self) -> Limits {
        self.limits
    }

    fn allocate(&self, label: &str, words: u64) -> Result<Buffer, GpuOptimError> {
        let bytes = self.limits.buffer_bytes(label, words)?;
        let padded = bytes / 4;
        let work = self.work();
        // An allocation that fails is a null pointer that scirs2-core writes to, so it must not come to that.
        let (used, most) = (self.system.current_allocated_size(), self.system.recommended_max_working_set_size());
        if used.saturating_add(bytes) > most {
            return Err(GpuOptimError::OutOfMemory(format!(
                "buffer `{label}` of {bytes} bytes: {used} of {most} bytes are in use"
            )));
        }
        let raw = work.context.create_buffer::<u32>(padded as usize);
        work.clear(&raw, word(padded));
        Ok(Buffer { words, handle: Arc::new(MetalBuffer { raw, _counted: self.meter.count(bytes) }) })
    }

    fn write(&self, buffer: &Buffer, start: u64, words: &[u32]) -> Result<(), GpuOptimError> {
        buffer.check(start, words.len() as u64)?;
        let raw = &handle(buffer)?.raw;
        let work = self.work();
        if start == 0 {
            return Ok(raw.copy_from_host(words)?);
        }
        let mut at = start;
        for piece in words.chunks(PIECE_WORDS) {
            work.copy((&work.upload(piece), 0), (raw, word(at)), word(piece.len() as u64));
            at += piece.len() as u64;
        }
        Ok(())
    }

    fn read(&self, buffer: &Buffer, start: u64, words: &mut [u32]) -> Result<(), GpuOptimError> {
        buffer.check(start, words.len() as u64)?;
        let raw = &handle(buffer)?.raw;
        let work = self.work();
        if start == 0 {
            return Ok(raw.copy_to_host(words)?);
        }
        let mut at = start;
        for piece in words.chunks_mut(PIECE_WORDS) {
            let staging = work.context.create_buffer::<u32>(piece.len());
            work.copy((raw, word(at)), (&staging, 0), word(piece.len() as u64));
            staging.copy_to_host(piece)?;
            at += piece.len() as u64;
        }
        Ok(())
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
        let (from, to) = (&handle(from)?.raw, &handle(to)?.raw);
        if words > 0 {
            self.work().copy((from, word(from_start)), (to, word(to_start)), word(words));
        }
        Ok(())
    }

    /// scirs2-core does not tell whether the device is lost.
    fn check(&self) -> Result<(), GpuOptimError> {
        Ok(())
    }

    fn prepare(&self, program: &'static Program) -> Result<(), GpuOptimError> {
        self.work().program(program).map(drop)
    }

    fn run(
        &self,
        writes: &[Write<'_>],
        launches: &[Launch<'_>],
        read: Option<&Slice>,
    ) -> Result<Option<Reading>, GpuOptimError> {
        writes.iter().try_for_each(|write| self.write(write.buffer, write.start, write.words))?;
        self.launch(launches)?;
        read.map(|slice| Reading::done(self, slice)).transpose()
    }

    /// Every call has waited already.
    fn wait(&self) -> Result<(), GpuOptimError> {
        Ok(())
    }

    fn memory(&self) -> DeviceMemory {
        self.meter.read()
    }
}
