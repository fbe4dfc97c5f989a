//! Memory over a long run and at its end: the host's, counted by the allocator of this program, and the device's, counted
//! by the runtime and, beneath it, by wgpu.
//!
//! A run of 100,000 steps on the CPU; on a GPU of 10,000, because the suite's is a software one. `OPTIRS_GPU_STEPS=100000`
//! makes it as long there.

#[path = "memory/counting.rs"]
mod counting;
#[path = "memory/limits.rs"]
mod limits;
#[path = "memory/long_run.rs"]
mod long_run;

use std::sync::{Mutex, MutexGuard, PoisonError};

#[global_allocator]
static ALLOCATOR: counting::Counting = counting::Counting;

/// Held by each test: what another allocates meanwhile would be counted, too.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}
