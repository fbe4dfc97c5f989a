//! Staging memory that is kept: buffers that the host maps, through which words go to the device and come back.
//!
//! A ring keeps so many buffers with the device, each made when there is no other left: a large ring [`PIECES`] of
//! [`PIECE`] bytes, a small one as many of [`SMALL_PIECE`] as there may be submissions in flight. One that the device may
//! still use is not handed out before its mapping has come, also where a wait for it was given up: no buffer is used twice
//! at once, and none is made in place of one that is late. A buffer whose use failed otherwise is freed.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use super::copying::in_shares;
use super::flight::{Flight, Submission};
use super::health::Health;
use super::mapping::Mapping;
use crate::GpuOptimError;

/// Bytes of a large ring's buffer, and of what is transferred at a time; less where the device's buffers are smaller.
pub(super) const PIECE: usize = 4 << 20;

/// Most buffers of a large ring.
pub(super) const PIECES: usize = 8;

/// Bytes of a small ring's buffer: most that goes up or comes down in the submission of a step.
pub(super) const SMALL_PIECE: usize = 64 << 10;

/// Where a ring's words go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// To the device. Buffers are mapped while they wait for their next use.
    Up,
    /// To the host. Buffers are mapped while words are taken out of them.
    Down,
}

impl Direction {
    fn mode(self) -> wgpu::MapMode {
        match self {
            Direction::Up => wgpu::MapMode::Write,
            Direction::Down => wgpu::MapMode::Read,
        }
    }

    fn what(self) -> &'static str {
        match self {
            Direction::Up => "a write",
            Direction::Down => "a read",
        }
    }
}

/// Buffers for one direction.
#[derive(Debug)]
pub(super) struct Ring {
    device: wgpu::Device,
    health: Arc<Health>,
    direction: Direction,
    /// Bytes of a buffer.
    piece: usize,
    /// Buffers that are kept.
    most: usize,
    held: Mutex<Held>,
    /// A buffer was returned or freed.
    returned: Condvar,
}

#[derive(Debug, Default)]
struct Held {
    /// Buffers that nobody has taken, the one that was returned first in front.
    resting: VecDeque<Staging>,
    /// Buffers that there are, taken ones as well.
    made: usize,
}

#[derive(Debug)]
struct Staging {
    buffer: wgpu::Buffer,
    /// Underway since the last use.
    coming: Option<Mapping>,
}

impl Ring {
    /// For what is worth submissions of its own. Without buffers so far.
    pub fn large(device: &wgpu::Device, health: &Arc<Health>, direction: Direction) -> Arc<Self> {
        Self::new(device, health, direction, PIECE, PIECES)
    }

    /// For what goes along with a step, of which so many may be in flight. Without buffers so far.
    pub fn small(device: &wgpu::Device, health: &Arc<Health>, direction: Direction, in_flight: usize) -> Arc<Self> {
        Self::new(device, health, direction, SMALL_PIECE, in_flight.max(1))
    }

    fn new(device: &wgpu::Device, health: &Arc<Health>, direction: Direction, piece: usize, most: usize) -> Arc<Self> {
        // A device may be opened with a limit that is less. What is mapped is of whole units.
        let unit = wgpu::MAP_ALIGNMENT as usize;
        let largest = usize::try_from(device.limits().max_buffer_size).unwrap_or(usize::MAX);
        let piece = (piece.min(largest) / unit).max(1) * unit;
        let (device, health, held) = (device.clone(), Arc::clone(health), Mutex::default());
        Arc::new(Self { device, health, direction, piece, most, held, returned: Condvar::new() })
    }

    /// Bytes of a buffer.
    pub fn piece(&self) -> usize {
        self.piece
    }

    /// A buffer to use, after a wait for the device or for other threads if need be. Who holds another one must not wait
    /// for other threads, which may wait for that: see [`Ring::try_take`].
    pub fn take(self: &Arc<Self>, flight: &Flight) -> Result<Piece, GpuOptimError> {
        loop {
            if let Some(piece) = self.try_take(flight)? {
                return Ok(piece);
            }
            let all_taken = |held: &mut Held| held.resting.is_empty() && held.made >= self.most;
            let waited = self.returned.wait_timeout_while(self.held(), flight.timeout(), all_taken);
            if waited.unwrap_or_else(PoisonError::into_inner).1.timed_out() {
                return Err(flight.timed_out("staging memory that other threads use"));
            }
        }
    }

    /// As [`Ring::take`], and none where other threads hold all of them.
    pub fn try_take(self: &Arc<Self>, flight: &Flight) -> Result<Option<Piece>, GpuOptimError> {
        let resting = {
            let mut held = self.held();
            let ready = held.resting.iter_mut().position(|staging| staging.is_ready(self.direction));
            match ready {
                Some(place) => held.resting.remove(place),
                None if held.made < self.most => {
                    held.made += 1;
                    None
                }
                None => match held.resting.pop_front() {
                    Some(oldest) => Some(oldest),
                    None => return Ok(None),
                },
            }
        };
        let Staging { buffer, coming } = match resting {
            Some(staging) => staging,
            None => self.make().inspect_err(|_| self.put(None))?,
        };
        let mut piece = Piece { ring: Arc::clone(self), buffer, coming, fit: true };
        if piece.coming.is_some() {
            piece.arrive(flight)?;
            if self.direction == Direction::Down {
                piece.unmap()?;
            }
        }
        Ok(Some(piece))
    }

    /// As [`Ring::take`], but where all buffers are taken it makes one more, which is freed when it is returned: for who
    /// holds one for as long as others please.
    pub fn take_or_make(self: &Arc<Self>, flight: &Flight) -> Result<Piece, GpuOptimError> {
        if let Some(piece) = self.try_take(flight)? {
            return Ok(piece);
        }
        self.held().made += 1;
        let Staging { buffer, coming } = self.make().inspect_err(|_| self.put(None))?;
        Ok(Piece { ring: Arc::clone(self), buffer, coming, fit: true })
    }

    /// Buffers that there are.
    #[cfg(test)]
    pub fn made(&self) -> usize {
        self.held().made
    }

    fn make(&self) -> Result<Staging, GpuOptimError> {
        let (label, usage) = match self.direction {
            Direction::Up => ("optirs upload", wgpu::BufferUsages::MAP_WRITE | wgpu::BufferUsages::COPY_SRC),
            Direction::Down => ("optirs download", wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST),
        };
        let buffer = self.health.scoped(|| {
            self.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size: self.piece as u64,
                usage,
                mapped_at_creation: self.direction == Direction::Up,
            })
        })?;
        Ok(Staging { buffer, coming: None })
    }

    /// Takes a buffer back, or notes that one is no more.
    fn put(&self, staging: Option<Staging>) {
        let mut held = self.held();
        match staging {
            Some(staging) if held.made <= self.most => held.resting.push_back(staging),
            _ => held.made -= 1,
        }
        self.returned.notify_one();
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Staging {
    /// Whether it can be used without a wait. A read that was given up is waited for, for its buffer has to be unmapped.
    fn is_ready(&mut self, direction: Direction) -> bool {
        if direction == Direction::Up {
            self.coming.take_if(|mapping| mapping.has_come());
        }
        self.coming.is_none()
    }
}

/// Lets `submit` submit copies that use the buffers of these pieces, and asks for each to be mapped when that is done.
pub(super) fn submit_with(
    health: &Health,
    pieces: &mut [&mut Piece],
    submit: impl FnOnce() -> Submission,
) -> Result<(), GpuOptimError> {
    pieces.iter_mut().for_each(|piece| piece.fit = false);
    health.scoped(|| {
        for piece in pieces.iter().filter(|piece| piece.ring.direction == Direction::Up) {
            piece.buffer.unmap();
        }
        let submission = submit();
        for piece in pieces.iter_mut() {
            let mode = piece.ring.direction.mode();
            piece.coming = Some(Mapping::begin(&piece.buffer, mode, piece.buffer.size(), submission.clone()));
        }
    })?;
    pieces.iter_mut().for_each(|piece| piece.fit = true);
    Ok(())
}

/// A buffer that was taken. Dropping it returns it, unless a use of it broke off in the middle: then it is freed.
#[derive(Debug)]
pub(super) struct Piece {
    ring: Arc<Ring>,
    buffer: wgpu::Buffer,
    coming: Option<Mapping>,
    fit: bool,
}

impl Piece {
    /// What a copy goes through, in a submission by [`submit_with`].
    pub fn buffer(&self) -> &wgpu::Buffer {
        &self.buffer
    }

    /// Puts bytes, at most a piece, into a buffer of the way up, from a byte on.
    pub fn fill(&mut self, at: u64, bytes: &[u8]) -> Result<(), GpuOptimError> {
        let buffer = &self.buffer;
        let filled = in_shares(bytes.len(), |share| {
            bytes.par_chunks(share).enumerate().try_for_each(|(place, bytes)| {
                let start = at + (place * share) as u64;
                buffer.get_mapped_range_mut(start..start + bytes.len() as u64)?.copy_from_slice(bytes);
                Ok(())
            })
        });
        filled.map_err(|error| self.broken(&error))
    }

    /// Waits for a submitted copy and takes words, at most a piece, out of a buffer of the way down. Where the wait fails,
    /// it may be called again.
    pub fn drain(&mut self, flight: &Flight, words: &mut [u32]) -> Result<(), GpuOptimError> {
        self.arrive(flight)?;
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(words);
        let view = self.buffer.get_mapped_range(..bytes.len() as u64).map_err(|error| self.broken(&error))?;
        in_shares(bytes.len(), |share| {
            bytes.par_chunks_mut(share).zip(view.par_chunks(share)).for_each(|(to, from)| to.copy_from_slice(from));
        });
        drop(view);
        self.unmap()
    }

    fn arrive(&mut self, flight: &Flight) -> Result<(), GpuOptimError> {
        let Some(mapping) = &self.coming else { return Ok(()) };
        let arrived = mapping.wait(flight, &self.ring.health, self.ring.direction.what());
        self.fit = matches!(arrived, Ok(()) | Err(GpuOptimError::Timeout { .. }));
        arrived?;
        self.coming = None;
        Ok(())
    }

    fn unmap(&mut self) -> Result<(), GpuOptimError> {
        self.fit = false;
        self.ring.health.scoped(|| self.buffer.unmap())?;
        self.fit = true;
        Ok(())
    }

    fn broken(&mut self, error: &wgpu::MapRangeError) -> GpuOptimError {
        self.fit = false;
        self.ring.health.cause(GpuOptimError::Device(error.to_string()))
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        let staging = Staging { buffer: self.buffer.clone(), coming: self.coming.take() };
        self.ring.put(self.fit.then_some(staging));
    }
}
