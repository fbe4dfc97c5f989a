//! What is submitted and not finished: at most so much, and every wait has a time limit.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::health::Health;
use crate::GpuOptimError;

/// How long a wait stays awake: a short step is over by then, and who sleeps is woken some 40 µs late.
const AWAKE: Duration = Duration::from_micros(100);

/// Something that was submitted.
#[derive(Clone, Debug)]
pub(super) struct Submission {
    index: wgpu::SubmissionIndex,
    /// Whether a poll, of whatever thread, has found it done.
    done: Arc<AtomicBool>,
}

impl Submission {
    /// To be called by who is told that it is done: a mapping behind it, or [`Flight::watch`].
    pub fn done(&self) -> impl FnOnce() + Send + 'static {
        let done = Arc::clone(&self.done);
        move || done.store(true, Ordering::Release)
    }
}

/// The submissions of one device.
#[derive(Debug)]
pub(super) struct Flight {
    device: wgpu::Device,
    queue: wgpu::Queue,
    health: Arc<Health>,
    most: usize,
    /// Whether the host is the device. Mesa's software driver makes a submission wait, without a time limit, while the queue
    /// is busy; and a wait that keeps the host busy would slow down what it waits for.
    pub(super) software: bool,
    timeout: Duration,
    pending: Mutex<VecDeque<Submission>>,
}

impl Flight {
    /// No submissions so far, and at most `most` at any time.
    pub fn new(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        health: &Arc<Health>,
        most: usize,
        timeout: Duration,
    ) -> Self {
        Self {
            device: device.clone(),
            queue: queue.clone(),
            health: Arc::clone(health),
            most: most.max(1),
            software: device.adapter_info().device_type == wgpu::DeviceType::Cpu,
            timeout,
            pending: Mutex::default(),
        }
    }

    /// Makes room for one more submission: waits for the oldest one where there are as many as may be. Nothing has been
    /// submitted if it fails.
    pub fn make_room(&self) -> Result<(), GpuOptimError> {
        if self.software {
            return self.wait_for(None, "the steps in flight");
        }
        loop {
            let oldest = {
                let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
                if pending.len() < self.most {
                    return Ok(());
                }
                pending.pop_front()
            };
            let Some(oldest) = oldest else { return Ok(()) };
            if let Err(error) = self.wait_for(Some(oldest.clone()), "the steps in flight") {
                self.pending.lock().unwrap_or_else(PoisonError::into_inner).push_front(oldest);
                return Err(error);
            }
        }
    }

    /// Submits; to be called in a scope. wgpu looks for finished work on each submission, so there is no need to poll.
    pub fn submit(&self, commands: Option<wgpu::CommandBuffer>) -> Submission {
        let index = self.queue.submit(commands);
        let submission = Submission { index, done: Arc::default() };
        self.pending.lock().unwrap_or_else(PoisonError::into_inner).push_back(submission.clone());
        submission
    }

    /// Lets a wait stay awake for a submission that no mapping tells of.
    pub fn watch(&self, submission: &Submission) {
        self.queue.on_submitted_work_done(submission.done());
    }

    /// Waits for a submission, or for all so far.
    pub fn wait_for(&self, submission: Option<Submission>, what: &'static str) -> Result<(), GpuOptimError> {
        // On a lost device there is nothing to wait for, and work in flight may go on for long.
        self.health.check()?;
        let all = submission.is_none();
        // A driver that reports the loss of the device while it is waited for makes wgpu panic, on our own call, after
        // its locks are released and the device is marked as lost; there is no other call that waits.
        let polled = catch_unwind(AssertUnwindSafe(|| self.poll(submission.as_ref())));
        match polled {
            Ok(Ok(_)) => {
                if all {
                    self.pending.lock().unwrap_or_else(PoisonError::into_inner).clear();
                }
                Ok(())
            }
            Ok(Err(wgpu::PollError::Timeout)) => Err(self.timed_out(what)),
            // The submission never reached the driver, for a reason that was reported then: nothing to wait for.
            Ok(Err(wgpu::PollError::WrongSubmissionIndex(..))) => self.health.check(),
            Err(panic) => {
                let text = panic.downcast_ref::<String>().map_or("", String::as_str);
                let cause = text.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or("unknown");
                self.health.check_because(&format!("its driver gave it up while it was waited for: {cause}"))?;
                // wgpu panics, too, where the time limit is reached and another thread sees the work done right then.
                Err(self.timed_out(what))
            }
        }
    }

    /// Looks again and again for a while, and sleeps then. To look is not to wait for no time at all: wgpu 30 panics where
    /// it does not find work done that another thread has found done before it looks at the queue.
    fn poll(&self, submission: Option<&Submission>) -> Result<wgpu::PollStatus, wgpu::PollError> {
        let start = Instant::now();
        while !self.software && start.elapsed() < AWAKE.min(self.timeout) {
            let status = self.device.poll(wgpu::PollType::Poll)?;
            let is_done = submission.is_some_and(|submission| submission.done.load(Ordering::Acquire));
            if is_done || status == wgpu::PollStatus::QueueEmpty {
                return Ok(status);
            }
            core::hint::spin_loop();
        }
        let submission_index = submission.map(|submission| submission.index.clone());
        self.device.poll(wgpu::PollType::Wait { submission_index, timeout: Some(self.timeout) })
    }

    /// What a callback says about work that was waited for; false if it was dropped. It may still be on its way: where
    /// several threads poll, the first one that sees the work finished calls the callbacks.
    pub fn receive(&self, answer: &Receiver<bool>, what: &'static str) -> Result<bool, GpuOptimError> {
        match answer.recv_timeout(self.timeout) {
            Ok(succeeded) => Ok(succeeded),
            Err(RecvTimeoutError::Disconnected) => Ok(false),
            Err(RecvTimeoutError::Timeout) => Err(self.timed_out(what)),
        }
    }

    /// The time limit of every wait.
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// The error of a wait that reached it.
    pub fn timed_out(&self, what: &'static str) -> GpuOptimError {
        GpuOptimError::Timeout { what, seconds: self.timeout.as_secs_f64() }
    }
}
