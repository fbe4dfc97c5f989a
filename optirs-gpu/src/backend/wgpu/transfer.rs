//! Words between host and device. What is large goes in pieces through staging memory that is kept, so that the host
//! copies one piece while the device copies another. What is read that is small has kept memory, too. A small write goes
//! with wgpu's own: it has to be in order with submissions of the device's owner, for whom a copy of ours that waits for
//! the next step would come late.

use core::any::Any;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use super::WgpuBackend;
use super::buffer::{WgpuBuffer, handle};
use super::copies::BufferCopy;
use super::flight::Submission;
use super::staging::{Piece, submit_with};
use crate::GpuOptimError;
use crate::backend::{AnyDebug, Buffer, Reading, Slice};

/// Most bytes of a write that is not worth a submission of its own: wgpu submits it with whatever is submitted next.
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
        for piece in bytes.chunks(self.upward.piece()) {
            let mut staging = self.upward.take(&self.flight)?;
            staging.fill(0, piece)?;
            self.flight.make_room()?;
            let (from, to, length) = (staging.buffer().clone(), target.raw.clone(), piece.len() as u64);
            let copy = BufferCopy { from, from_start: 0, to, to_start: at, length };
            submit_with(&self.health, &mut [&mut staging], || self.submit_copy(&copy))?;
            at += length;
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
        let (from, from_start, to, to_start) = (source.raw.clone(), from.1 * 4, target.raw.clone(), to.1 * 4);
        let copy = BufferCopy { from, from_start, to, to_start, length: words * 4 };
        self.flight.make_room()?;
        self.health.scoped(|| self.flight.watch(&self.submit_copy(&copy)))
    }

    /// Submits a copy; to be called in a scope.
    fn submit_copy(&self, copy: &BufferCopy) -> Submission {
        let mut encoder = self.device.create_command_encoder(&Default::default());
        copy.encode(&mut encoder);
        self.submit(Some(encoder.finish()))
    }

    pub(super) fn read_words(&self, buffer: &Buffer, start: u64, words: &mut [u32]) -> Result<(), GpuOptimError> {
        self.health.check()?;
        buffer.check(start, words.len() as u64)?;
        let source = handle(buffer, &self.groups_weak())?;
        let (at, bytes) = (start * 4, words.len() * 4);
        if bytes == 0 {
            return Ok(());
        }
        if bytes > self.answers.piece() {
            return self.read_large(source, at, words);
        }
        let mut staging = self.answers.take_or_make(&self.flight)?;
        self.ask(source, at, bytes as u64, &mut staging)?;
        staging.drain(&self.flight, words)
    }

    fn read_large(&self, source: &WgpuBuffer, mut at: u64, words: &mut [u32]) -> Result<(), GpuOptimError> {
        let mut ahead = VecDeque::with_capacity(AHEAD);
        for piece in words.chunks_mut(self.downward.piece() / 4) {
            let (mut staging, bytes) = (self.next_downward(&mut ahead)?, piece.len() as u64 * 4);
            self.ask(source, at, bytes, &mut staging)?;
            ahead.push_back((staging, piece));
            at += bytes;
        }
        ahead.into_iter().try_for_each(|(mut staging, piece)| staging.drain(&self.flight, piece))
    }

    /// Submits a copy into staging memory.
    fn ask(&self, source: &WgpuBuffer, at: u64, bytes: u64, staging: &mut Piece) -> Result<(), GpuOptimError> {
        let (from, to) = (source.raw.clone(), staging.buffer().clone());
        let copy = BufferCopy { from, from_start: at, to, to_start: 0, length: bytes };
        self.flight.make_room()?;
        submit_with(&self.health, &mut [staging], || self.submit_copy(&copy))
    }

    /// A buffer for one more piece of a read, for which the oldest of those ahead are finished if need be. It waits for
    /// buffers of other threads only while it holds none that they may wait for.
    fn next_downward(&self, ahead: &mut VecDeque<(Piece, &mut [u32])>) -> Result<Piece, GpuOptimError> {
        loop {
            if ahead.len() < AHEAD
                && let Some(staging) = self.downward.try_take(&self.flight)?
            {
                return Ok(staging);
            }
            match ahead.pop_front() {
                Some((mut staging, piece)) => staging.drain(&self.flight, piece)?,
                None => return self.downward.take(&self.flight),
            }
        }
    }

    /// Staging memory for a few words, and the copy into it, to be submitted with other commands.
    pub(super) fn answer(&self, slice: &Slice) -> Result<(Piece, BufferCopy), GpuOptimError> {
        slice.buffer.check(slice.start, slice.words)?;
        let (length, most) = (slice.words * 4, self.answers.piece() as u64);
        if length > most {
            let what = "what is read of a step".to_owned();
            return Err(GpuOptimError::LimitExceeded { what, needed: length, limit: most, unit: "bytes" });
        }
        let piece = self.answers.take_or_make(&self.flight)?;
        let from = handle(&slice.buffer, &self.groups_weak())?.raw.clone();
        let copy = BufferCopy { from, from_start: slice.start * 4, to: piece.buffer().clone(), to_start: 0, length };
        Ok((piece, copy))
    }

    /// The words that were asked for; waits for them.
    pub(super) fn end_read(&self, reading: &Reading) -> Result<Vec<u32>, GpuOptimError> {
        let Some(coming) = reading.0.as_any().downcast_ref::<Coming>() else {
            return Err(GpuOptimError::Device(format!("{reading:?} belongs to another back end")));
        };
        let mut words = vec![0; (coming.bytes / 4) as usize];
        coming.piece.lock().unwrap_or_else(PoisonError::into_inner).drain(&self.flight, &mut words)?;
        Ok(words)
    }
}

/// Words on their way to the host. Where nobody asks for them, their staging memory goes back all the same.
#[derive(Debug)]
pub(super) struct Coming {
    piece: Mutex<Piece>,
    bytes: u64,
}

impl Coming {
    /// In a piece that was submitted.
    pub fn new(piece: Piece, bytes: u64) -> Coming {
        Coming { piece: Mutex::new(piece), bytes }
    }
}

impl AnyDebug for Coming {
    fn as_any(&self) -> &dyn Any {
        self
    }
}
