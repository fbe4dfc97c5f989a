//! Words between host and device. Staging memory is bounded: large transfers go in pieces.

use std::sync::mpsc;

use super::WgpuBackend;
use super::buffer::{WgpuBuffer, handle};
use crate::GpuOptimError;
use crate::backend::Buffer;

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
        // Made for each read: one that a wait gave up on stays with the driver.
        let staging = self.health.scoped(|| {
            self.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("optirs read"),
                size: largest as u64 * 4,
                usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        })?;
        let mut at = start * 4;
        for piece in words.chunks_mut(PIECE_WORDS) {
            self.read_piece(source, at, &staging, piece)?;
            at += piece.len() as u64 * 4;
        }
        Ok(())
    }

    fn read_piece(
        &self,
        source: &WgpuBuffer,
        at: u64,
        staging: &wgpu::Buffer,
        words: &mut [u32],
    ) -> Result<(), GpuOptimError> {
        let bytes = words.len() as u64 * 4;
        self.flight.make_room()?;
        let (sender, mapped) = mpsc::channel();
        let index = self.health.scoped(|| {
            let mut encoder = self.device.create_command_encoder(&Default::default());
            encoder.copy_buffer_to_buffer(&source.raw, at, staging, 0, bytes);
            let index = self.submit(Some(encoder.finish()));
            staging.map_async(wgpu::MapMode::Read, ..bytes, move |result| {
                // The receiver is gone where the wait has timed out.
                let _ = sender.send(result.is_ok());
            });
            index
        })?;
        self.flight.wait_for(Some(index), "a read")?;
        if !self.flight.receive(&mapped, "a read")? {
            self.health.check()?;
            return Err(GpuOptimError::Device("a finished read could not be mapped".to_owned()));
        }
        let unreadable = |error: wgpu::MapRangeError| self.health.cause(GpuOptimError::Device(error.to_string()));
        let view = staging.get_mapped_range(..bytes).map_err(unreadable)?;
        bytemuck::cast_slice_mut(words).copy_from_slice(&view);
        drop(view);
        self.health.scoped(|| staging.unmap())
    }
}
