//! A Vulkan driver whose calls fail: out of memory, and lost, at every function of it that can fail and that a step uses,
//! but two that `driver/calls.rs` names.
//!
//! The driver is a real one. Its functions are loaded through ours (`driver/calls.rs`), which stand before those that
//! return a result, count the calls of their thread, and let one of them fail as a driver would. What wgpu makes of it is
//! what it makes of it in the field, where it cannot be tried out otherwise.

#[path = "driver/calls.rs"]
mod calls;
#[path = "driver/faults.rs"]
mod faults;
#[path = "driver/instance.rs"]
mod instance;
#[path = "driver/session.rs"]
mod session;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Held by each test: NVIDIA's driver can deadlock where a device is closed while the thread of another test ends.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}
