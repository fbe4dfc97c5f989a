//! Words between host and device. What is large goes in pieces through staging memory that is kept, so that the host
//! copies one piece while the device copies another; what is small, with wgpu's own.

use core::any::Any;
use std::collections::VecDeque;

use super::WgpuBackend;
use super::buffer::{WgpuBuffer, handle};
use super::mapping::Mapping;
use super::staging::{PIECE, Piece};
use crate::GpuOptimError;
use crate::backend::{AnyDebug, Buffer, Reading};

/// Most bytes of a transfer that is not worth a submission of its own: wgpu submits such a write with whatever is submitted
/// next, and what is read so gets a buffer of its size.
pub(super) const SMALL: usize = 256 << 10;

/// The most that small writes keep staged before they are submitted.
const STAGED: usize = 32 << 20;

/// Pieces of a read that the device copies ahead of the one that the host copies.
const AHEAD: usize = 3;

impl WgpuBackend {
    pub(super) fn write_words(&self, buffer: &Buffer, start: u64, words: &[u32]) -> Result<(), GpuOptimError> {
        self.health.check()?;
        buffer.check(start, words.len() as u64)?;
        let target = handle(buffer, &self.groups_weak())?;
        let bytes: &[u8] = bytemuck::cast_slice(words);
        match bytes.len() {
            0 => Ok(()),
            1..=SMALL => self.write_small(target, start * 4, bytes),
            _ => self.write_large(target, start * 4, bytes),
        }
    }

    fn write_large(&self, target: &WgpuBuffer, mut at: u64, bytes: &[u8]) -> Result<(), GpuOptimError> {
        for piece in bytes.chunks(PIECE) {
            let mut staging = self.upward.take(&self.flight)?;
            staging.fill(piece)?;
            self.flight.make_room()?;
            staging.submit(|buffer| self.submit_copy((buffer, 0), (&target.raw, at), piece.len() as u64))?;
            at += piece.len() as u64;
        }
        Ok(())
    }

    fn write_small(&self, target: &WgpuBuffer, at: u64, bytes: &[u8]) -> Result<(), GpuOptimError> {
        let staged = *self.staged();
        if staged > 0 && staged.saturating_add(bytes.len()) > STAGED {
            self.submit_staged()?;
        }
        let mut staged = self.staged();
        self.health.scoped(|| self.queue.write_buffer(&target.raw, at, bytes))?;
        *staged = staged.saturating_add(bytes.len());
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
        self.health.scoped(|| self.submit_copy((&source.raw, from.1 * 4), (&target.raw, to.1 * 4), words * 4)).map(drop)
    }

    /// Submits a copy; to be called in a scope.
    fn submit_copy(&self, from: (&wgpu::Buffer, u64), to: (&wgpu::Buffer, u64), bytes: u64) -> wgpu::SubmissionIndex {
        let mut encoder = self.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(from.0, from.1, to.0, to.1, bytes);
        self.submit(Some(encoder.finish()))
    }

    pub(super) fn read_words(&self, buffer: &Buffer, start: u64, words: &mut [u32]) -> Result<(), GpuOptimError> {
        self.health.check()?;
        buffer.check(start, words.len() as u64)?;
        let source = handle(buffer, &self.groups_weak())?;
        match words.len() * 4 {
            0 => Ok(()),
            1..=SMALL => self.read_small(source, start * 4, words),
            _ => self.read_large(source, start * 4, words),
        }
    }

    fn read_small(&self, source: &WgpuBuffer, at: u64, words: &mut [u32]) -> Result<(), GpuOptimError> {
        let bytes = words.len() as u64 * 4;
        let copy = CopyOut { source: source.raw.clone(), at, staging: self.staging(bytes)?, bytes };
        self.flight.make_room()?;
        let coming = self.health.scoped(|| {
            let mut encoder = self.device.create_command_encoder(&Default::default());
            copy.encode(&mut encoder);
            let index = self.submit(Some(encoder.finish()));
            copy.begin(index)
        })?;
        self.finish(&coming, words)
    }

    fn read_large(&self, source: &WgpuBuffer, mut at: u64, words: &mut [u32]) -> Result<(), GpuOptimError> {
        let mut ahead = VecDeque::with_capacity(AHEAD);
        for piece in words.chunks_mut(PIECE / 4) {
            let mut staging = self.next_downward(&mut ahead)?;
            self.flight.make_room()?;
            let bytes = piece.len() as u64 * 4;
            staging.submit(|buffer| self.submit_copy((&source.raw, at), (buffer, 0), bytes))?;
            ahead.push_back((staging, piece));
            at += bytes;
        }
        ahead.into_iter().try_for_each(|(staging, piece)| staging.drain(&self.flight, piece))
    }

    /// A buffer for one more piece of a read, for which the oldest of those ahead are finished if need be. It waits for
    /// buffers of other threads only while it holds none that they may wait for.
    fn next_downward<'a>(&'a self, ahead: &mut VecDeque<(Piece<'a>, &mut [u32])>) -> Result<Piece<'a>, GpuOptimError> {
        loop {
            if ahead.len() < AHEAD
                && let Some(staging) = self.downward.try_take(&self.flight)?
            {
                return Ok(staging);
            }
            match ahead.pop_front() {
                Some((staging, piece)) => staging.drain(&self.flight, piece)?,
                None => return self.downward.take(&self.flight),
            }
        }
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

    /// Made for each small read: one that a wait gave up on stays with the driver.
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
        let Coming { staging, bytes, mapping } = coming;
        mapping.wait(&self.flight, &self.health, "a read")?;
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
        let mapping = Mapping::begin(&staging, wgpu::MapMode::Read, bytes, index);
        Coming { staging, bytes, mapping }
    }
}

/// Words on their way to the host.
#[derive(Debug)]
pub(super) struct Coming {
    staging: wgpu::Buffer,
    bytes: u64,
    mapping: Mapping,
}

impl AnyDebug for Coming {
    fn as_any(&self) -> &dyn Any {
        self
    }
}
