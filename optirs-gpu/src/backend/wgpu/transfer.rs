//! Words between host and device. Staging memory is bounded: large transfers go in pieces.

use core::any::Any;
use std::sync::{Mutex, PoisonError, mpsc};

use super::WgpuBackend;
use super::buffer::handle;
use crate::GpuOptimError;
use crate::backend::{AnyDebug, Buffer, Reading};

/// Bytes of one piece of a transfer, and the most that writes keep staged before they are submitted.
const PIECE: usize = 32 << 20;
const PIECE_WORDS: usize = PIECE / 4;

impl WgpuBackend {
    pub(super) fn write_words(&self, buffer: &Buffer, start: u64, words: &[u32]) -> Result<(), GpuOptimError> {
        self.health.check()?;
        buffer.check(start, words.len() as u64)?;
        let target = handle(buffer, &self.groups_weak())?;
        let mut at = start * 4;
        for piece in words.chunks(PIECE_WORDS) {
            let bytes: &[u8] = bytemuck::cast_slice(piece);
            let staged = *self.staged();
            if staged > 0 && staged.saturating_add(bytes.len()) > PIECE {
                self.submit_staged()?;
            }
            let mut staged = self.staged();
            self.health.scoped(|| self.queue.write_buffer(&target.raw, at, bytes))?;
            *staged = staged.saturating_add(bytes.len());
            drop(staged);
            at += bytes.len() as u64;
        }
        Ok(())
    }

    pub(super) fn copy_words(&self, from: (&Buffer, u64), to: (&Buffer, u64), words: u64) -> Result<(), GpuOptimError> {
        self.health.check()?;
        from.0.check(from.1, words)?;
        to.0.check(to.1, words)?;
        if words == 0 {
            return Ok(());
        }
        let groups = self.groups_weak();
        let (source, target) = (handle(from.0, &groups)?, handle(to.0, &groups)?);
        self.flight.make_room()?;
        self.health.scoped(|| {
            let mut encoder = self.device.create_command_encoder(&Default::default());
            encoder.copy_buffer_to_buffer(&source.raw, from.1 * 4, &target.raw, to.1 * 4, words * 4);
            self.submit(Some(encoder.finish()));
        })
    }

    pub(super) fn read_words(&self, buffer: &Buffer, start: u64, words: &mut [u32]) -> Result<(), GpuOptimError> {
        self.health.check()?;
        buffer.check(start, words.len() as u64)?;
        let source = handle(buffer, &self.groups_weak())?;
        let Some(largest) = words.chunks(PIECE_WORDS).map(<[u32]>::len).max() else { return Ok(()) };
        let staging = self.staging(largest as u64 * 4)?;
        let mut at = start * 4;
        for piece in words.chunks_mut(PIECE_WORDS) {
            let bytes = piece.len() as u64 * 4;
            let copy = CopyOut { source: source.raw.clone(), at, staging: staging.clone(), bytes };
            self.flight.make_room()?;
            let coming = self.health.scoped(|| {
                let mut encoder = self.device.create_command_encoder(&Default::default());
                copy.encode(&mut encoder);
                let index = self.submit(Some(encoder.finish()));
                copy.begin(index)
            })?;
            self.finish(&coming, piece)?;
            at += bytes;
        }
        Ok(())
    }

    /// A copy of a few words to the host, to be submitted with other commands.
    pub(super) fn copy_out(&self, buffer: &Buffer, start: u64, words: u64) -> Result<CopyOut, GpuOptimError> {
        buffer.check(start, words)?;
        let source = handle(buffer, &self.groups_weak())?.raw.clone();
        Ok(CopyOut { source, at: start * 4, staging: self.staging(words * 4)?, bytes: words * 4 })
    }

    /// The words that were asked for; waits for them.
    pub(super) fn end_read(&self, reading: &Reading) -> Result<Vec<u32>, GpuOptimError> {
        let Some(coming) = reading.0.as_any().downcast_ref::<Coming>() else {
            return Err(GpuOptimError::Device(format!("{reading:?} belongs to another back end")));
        };
        let mut words = vec![0; (coming.bytes / 4) as usize];
        self.finish(coming, &mut words)?;
        Ok(words)
    }

    /// Made for each read: one that a wait gave up on stays with the driver.
    fn staging(&self, bytes: u64) -> Result<wgpu::Buffer, GpuOptimError> {
        self.health.scoped(|| {
            self.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("optirs read"),
                size: bytes,
                usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        })
    }

    fn finish(&self, coming: &Coming, words: &mut [u32]) -> Result<(), GpuOptimError> {
        let Coming { staging, bytes, index, mapped } = coming;
        self.flight.wait_for(Some(index.clone()), "a read")?;
        let mapped = mapped.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.flight.receive(&mapped, "a read")? {
            self.health.check()?;
            return Err(GpuOptimError::Device("a finished read could not be mapped".to_owned()));
        }
        let unreadable = |error: wgpu::MapRangeError| self.health.cause(GpuOptimError::Device(error.to_string()));
        let view = staging.get_mapped_range(..*bytes).map_err(unreadable)?;
        bytemuck::cast_slice_mut(words).copy_from_slice(&view);
        drop(view);
        self.health.scoped(|| staging.unmap())
    }
}

/// A copy to memory that the host can map.
#[derive(Debug)]
pub(super) struct CopyOut {
    source: wgpu::Buffer,
    at: u64,
    staging: wgpu::Buffer,
    bytes: u64,
}

impl CopyOut {
    /// To be called in a scope, as all of it.
    pub fn encode(&self, encoder: &mut wgpu::CommandEncoder) {
        encoder.copy_buffer_to_buffer(&self.source, self.at, &self.staging, 0, self.bytes);
    }

    /// Asks for the words, once the copy is submitted.
    pub fn begin(self, index: wgpu::SubmissionIndex) -> Coming {
        let CopyOut { staging, bytes, .. } = self;
        let (sender, mapped) = mpsc::channel();
        staging.map_async(wgpu::MapMode::Read, ..bytes, move |result| {
            // The receiver is gone where the wait has timed out.
            let _ = sender.send(result.is_ok());
        });
        Coming { staging, bytes, index, mapped: Mutex::new(mapped) }
    }
}

/// Words on their way to the host.
#[derive(Debug)]
pub(super) struct Coming {
    staging: wgpu::Buffer,
    bytes: u64,
    /// The submission that copies them.
    index: wgpu::SubmissionIndex,
    /// Told when they are there.
    mapped: Mutex<mpsc::Receiver<bool>>,
}

impl AnyDebug for Coming {
    fn as_any(&self) -> &dyn Any {
        self
    }
}
