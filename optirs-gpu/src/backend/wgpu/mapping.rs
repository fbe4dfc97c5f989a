//! A buffer that becomes visible to the host: asked for behind a submission that uses it, and there when that is done.

use std::sync::{Mutex, PoisonError, mpsc};

use super::flight::{Flight, Submission};
use super::health::Health;
use crate::GpuOptimError;

/// A mapping that is underway. It may be waited for again where a wait was given up.
#[derive(Debug)]
pub(super) struct Mapping {
    /// What it waits for.
    submission: Submission,
    /// Told when it is there.
    answer: Mutex<mpsc::Receiver<bool>>,
}

impl Mapping {
    /// Asks for the first bytes of a buffer; to be called in a scope.
    pub fn begin(buffer: &wgpu::Buffer, mode: wgpu::MapMode, bytes: u64, submission: Submission) -> Mapping {
        let (sender, answer) = mpsc::channel();
        let done = submission.done();
        buffer.map_async(mode, ..bytes, move |result| {
            done();
            // The receiver is gone where nobody waits for it any more.
            let _ = sender.send(result.is_ok());
        });
        Mapping { submission, answer: Mutex::new(answer) }
    }

    /// Waits for it. `what` names it in errors.
    pub fn wait(&self, flight: &Flight, health: &Health, what: &'static str) -> Result<(), GpuOptimError> {
        flight.wait_for(Some(self.submission.clone()), what)?;
        let answer = self.answer.lock().unwrap_or_else(PoisonError::into_inner);
        if flight.receive(&answer, what)? {
            return Ok(());
        }
        health.check()?;
        Err(GpuOptimError::Device(format!("{what}: a buffer whose work is finished could not be mapped")))
    }

    /// Whether it is there, once.
    pub fn has_come(&self) -> bool {
        let answer = self.answer.lock().unwrap_or_else(PoisonError::into_inner);
        answer.try_recv() == Ok(true)
    }
}
