//! Whether the device is lost. wgpu tells it neither to error scopes nor to submit: calls on a lost device do nothing and
//! say nothing. It is told to a callback, once the queue is empty, and to `map_async`, at once. The callback belongs to
//! the owner of the device, so we ask `map_async`, which costs about a microsecond, and set the callback only on devices
//! that we opened, for the reason that it gives.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::scope::scoped;
use crate::GpuOptimError;

/// Watches one device.
#[derive(Debug)]
pub(super) struct Health {
    device: wgpu::Device,
    /// Mapped to find out, and for nothing else.
    probe: Mutex<wgpu::Buffer>,
    lost: Arc<OnceLock<String>>,
}

impl Health {
    /// Starts watching. `ours` says that we opened the device, so that its callbacks are ours.
    pub fn new(device: &wgpu::Device, ours: bool) -> Result<Self, GpuOptimError> {
        let lost = Arc::new(OnceLock::new());
        if ours {
            let told = Arc::clone(&lost);
            device.set_device_lost_callback(move |reason, message| {
                let text = if message.is_empty() { format!("{reason:?}") } else { format!("{reason:?}: {message}") };
                // The first reason is the cause; those after it are its consequences.
                let _ = told.set(text);
            });
            device.on_uncaptured_error(Arc::new(|error| log::error!("wgpu: {error}")));
        }
        let probe = scoped(device, || {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("optirs probe"),
                size: 4,
                usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        })?;
        let health = Self { device: device.clone(), probe: Mutex::new(probe), lost };
        // A device that was lost before makes no buffer, which is all that it says about it.
        if health.ask()? != Answer::Granted {
            health.set_lost(GIVEN_UP);
        }
        health.check()?;
        Ok(health)
    }

    /// Fails if the device is lost.
    pub fn check(&self) -> Result<(), GpuOptimError> {
        self.check_because(GIVEN_UP)
    }

    /// As [`Health::check`]; a loss that is found has this reason.
    pub fn check_because(&self, reason: &str) -> Result<(), GpuOptimError> {
        if self.lost.get().is_none() && self.ask()? == Answer::Lost {
            self.set_lost(reason);
        }
        match self.lost.get() {
            None => Ok(()),
            Some(reason) => Err(GpuOptimError::DeviceLost(reason.clone())),
        }
    }

    /// Runs calls to wgpu on the device as [`scoped`] does. What fails because another thread has just destroyed the device
    /// says that it is lost.
    pub fn scoped<T>(&self, calls: impl FnOnce() -> T) -> Result<T, GpuOptimError> {
        self.noting(calls).map_err(|error| self.cause(error))
    }

    /// The error itself, unless the device is lost: a destroyed device's buffers fail validation.
    pub fn cause(&self, error: GpuOptimError) -> GpuOptimError {
        match error {
            GpuOptimError::Device(_) => self.check().err().unwrap_or(error),
            error => error,
        }
    }

    /// As [`scoped`], and notes a loss that the calls bring.
    fn noting<T>(&self, calls: impl FnOnce() -> T) -> Result<T, GpuOptimError> {
        scoped(&self.device, calls).inspect_err(|error| {
            if let GpuOptimError::DeviceLost(reason) = error {
                self.set_lost(reason);
            }
        })
    }

    /// Notes a loss that was found by other means.
    pub fn set_lost(&self, reason: &str) {
        let _ = self.lost.set(reason.to_owned());
    }

    /// Asks for a mapping and takes it back at once. A device that is lost refuses it before `map_async` returns; a
    /// healthy one answers later, and by then nobody asks.
    fn ask(&self) -> Result<Answer, GpuOptimError> {
        let probe = self.probe.lock().unwrap_or_else(PoisonError::into_inner);
        // Both in one scope, which is half of the cost: nothing is amiss almost always.
        let asked = self.noting(|| {
            let refused = is_refused(&probe);
            probe.unmap();
            refused
        });
        if matches!(asked, Ok(false)) {
            return Ok(Answer::Granted);
        }
        let asked = self.noting(|| is_refused(&probe));
        // Not mapped is an error of unmap, and what we want.
        let _ = self.noting(|| probe.unmap());
        match asked {
            Ok(false) => Ok(Answer::Granted),
            Ok(true) => Ok(Answer::Lost),
            Err(GpuOptimError::Device(_)) => Ok(Answer::Unfit),
            Err(error) => Err(error),
        }
    }
}

/// Asks for a mapping of the buffer: whether that is refused at once.
fn is_refused(buffer: &wgpu::Buffer) -> bool {
    let refused = Arc::new(AtomicBool::new(false));
    let answer = Arc::clone(&refused);
    buffer.map_async(wgpu::MapMode::Read, .., move |result| answer.store(result.is_err(), Ordering::Relaxed));
    refused.load(Ordering::Relaxed)
}

const GIVEN_UP: &str = "it was destroyed, or its driver gave it up";

/// What a device says to a mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    /// It will come.
    Granted,
    /// Nothing comes from this device any more.
    Lost,
    /// The buffer is at fault, and the device not lost: that is asked first. The buffer may be mapped already. wgpu 30
    /// calls it unmapped for as long as it is mapping it (gfx-rs/wgpu#9959), so where another thread polls the device,
    /// taking the mapping back can come too early and have no effect. The next one takes it back.
    Unfit,
}
