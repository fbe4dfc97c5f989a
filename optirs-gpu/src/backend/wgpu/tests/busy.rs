//! A queue that is kept busy, for waits that take longer than they may.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::*;
use crate::backend::wgpu::launch::ReadyDispatch;

/// Held by each test that keeps the queue busy: on one GPU they would make each other late.
static TURN: Mutex<()> = Mutex::new(());

pub(super) fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

static BUSY: Program = Program {
    wgsl: include_str!("busy.wgsl"),
    kernels: &[Kernel {
        name: "update_finish1_tensor",
        kind: KernelKind::FinishTensor(unused_finish),
        bindings: &[binds(Role::Hyper, READ), binds(Role::Scalars, WRITE)],
    }],
    ..PROGRAM
};

/// Keeps the queue busy, the longer the more groups: thousands for seconds. A GPU runs many at once.
pub(super) fn keep_busy(backend: &WgpuBackend, groups: u32) -> Result<(), GpuOptimError> {
    launch(backend, groups, |launch| backend.run(&[], &[launch], None).map(drop))
}

/// What keeps a queue busy, to be submitted with other commands.
pub(super) fn busy_dispatches(backend: &WgpuBackend, groups: u32) -> Vec<ReadyDispatch> {
    launch(backend, groups, |launch| backend.dispatches(&[launch])).unwrap()
}

fn launch<T>(
    backend: &WgpuBackend,
    groups: u32,
    run: impl FnOnce(Launch<'_>) -> Result<T, GpuOptimError>,
) -> Result<T, GpuOptimError> {
    let software = backend.device.adapter_info().device_type == wgpu::DeviceType::Cpu;
    let groups = if software { groups } else { 4 * groups };
    let hyper = upload(backend, "hyper", &[10_000_000]);
    let scalars = backend.allocate("scalars", 8)?;
    run(Launch {
        variant: &VARIANT,
        program: &BUSY,
        hyper: &whole(&hyper),
        scalars: &whole(&scalars),
        partials: None,
        ranges: &[],
        tensors: &whole(&hyper),
        tensor_count: groups,
    })
}

/// Waits for as long as it takes: the machine may be busy with other things.
pub(super) fn settle(backend: &WgpuBackend) {
    let deadline = Instant::now() + Duration::from_secs(100);
    while let Err(error) = backend.wait() {
        assert!(matches!(error, GpuOptimError::Timeout { .. }) && Instant::now() < deadline, "{error}");
    }
}
