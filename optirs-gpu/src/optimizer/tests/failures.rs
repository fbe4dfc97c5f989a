//! A back end that fails at any one call: what the step was to change is as it was, and the next step is right.

use core::sync::atomic::{AtomicI64, Ordering};
use std::sync::Arc;

use scirs2_core::gpu::GpuBackend;
use scirs2_core::ndarray::arr1;

use super::everything::{Everything, EverythingParams};
use super::values;
use crate::backend::cpu::CpuBackend;
use crate::backend::{Backend, Buffer, DeviceMemory, Launch, Limits};
use crate::rule::Program;
use crate::{AdapterInfo, Device, GpuOptimError, Optimizer, ParamSet};

/// The CPU back end, but the call after the next `left` calls fails.
#[derive(Debug)]
struct Failing {
    inner: CpuBackend,
    left: AtomicI64,
}

impl Failing {
    fn call(&self) -> Result<(), GpuOptimError> {
        match self.left.fetch_sub(1, Ordering::Relaxed) {
            0 => Err(GpuOptimError::Timeout { what: "a failing back end", seconds: 0.0 }),
            _ => Ok(()),
        }
    }
}

impl Backend for Failing {
    fn limits(&self) -> Limits {
        self.inner.limits()
    }

    fn allocate(&self, label: &str, words: u64) -> Result<Buffer, GpuOptimError> {
        self.call()?;
        self.inner.allocate(label, words)
    }

    fn write(&self, buffer: &Buffer, start: u64, words: &[u32]) -> Result<(), GpuOptimError> {
        self.call()?;
        self.inner.write(buffer, start, words)
    }

    fn read(&self, buffer: &Buffer, start: u64, words: &mut [u32]) -> Result<(), GpuOptimError> {
        self.call()?;
        self.inner.read(buffer, start, words)
    }

    fn copy(&self, from: &Buffer, start: u64, to: &Buffer, to_start: u64, words: u64) -> Result<(), GpuOptimError> {
        self.call()?;
        self.inner.copy(from, start, to, to_start, words)
    }

    fn check(&self) -> Result<(), GpuOptimError> {
        self.call()
    }

    fn prepare(&self, program: &'static Program) -> Result<(), GpuOptimError> {
        self.call()?;
        self.inner.prepare(program)
    }

    fn run(&self, launch: &Launch<'_>) -> Result<(), GpuOptimError> {
        self.call()?;
        self.inner.run(launch)
    }

    fn wait(&self) -> Result<(), GpuOptimError> {
        self.call()
    }

    fn memory(&self) -> DeviceMemory {
        self.inner.memory()
    }
}

/// Everything that a user can see.
fn seen(params: &ParamSet, optimizer: &Optimizer<Everything>) -> Vec<Vec<f32>> {
    let mut all = vec![vec![optimizer.step_count() as f32]];
    for name in params.names() {
        all.push(values(params, name));
        for state in ["m", "p0", "c", "t", "d", "h"] {
            all.push(optimizer.state(state, name).map(|state| state.into_raw_vec_and_offset().0).unwrap_or_default());
        }
    }
    all
}

/// A run whose calls are tried again if they fail.
struct Trial {
    backend: Arc<Failing>,
    params: ParamSet,
    optimizer: Optimizer<Everything>,
    failed: bool,
}

type Call<'a> = &'a dyn Fn(&mut ParamSet, &mut Optimizer<Everything>) -> Result<(), GpuOptimError>;

impl Trial {
    /// What a user sees before a failing call and after it is the same; the second attempt is spared.
    fn attempt(&mut self, call: Call<'_>) {
        let left = self.backend.left.swap(-1, Ordering::Relaxed);
        let before = seen(&self.params, &self.optimizer);
        self.backend.left.store(left, Ordering::Relaxed);
        if call(&mut self.params, &mut self.optimizer).is_err() {
            self.failed = true;
            assert!(seen(&self.params, &self.optimizer) == before, "a failing call has changed something");
            call(&mut self.params, &mut self.optimizer).unwrap();
        }
    }
}

/// Two steps; in between, a tensor is added. The call with this number fails, or none.
fn train(failing_call: i64) -> (Vec<Vec<f32>>, bool) {
    let backend = Arc::new(Failing { inner: CpuBackend::new(), left: AtomicI64::new(-1) });
    let device = Device::over(Arc::clone(&backend) as _, GpuBackend::Cpu, AdapterInfo::cpu());
    let params = ParamSet::new(&device, [("w", arr1(&[1.0, 2.0, 3.0]))]).unwrap();
    let mut optimizer = Optimizer::<Everything>::on(&device, EverythingParams::default()).unwrap();
    optimizer.set_scalar("loss", 0.5).unwrap();
    backend.left.store(failing_call, Ordering::Relaxed);
    let mut trial = Trial { backend, params, optimizer, failed: false };
    for (name, gradient) in [("w", arr1(&[0.5, 1.0, -2.0])), ("late", arr1(&[0.25]))] {
        if name == "late" {
            trial.attempt(&|_, optimizer| optimizer.move_to_cpu());
            trial.optimizer.move_to_gpu().unwrap();
            let again = arr1(&[0.5, 1.0, -2.0]);
            trial.attempt(&|params, optimizer| optimizer.write_input(params, "weight", "w", &again));
            trial.attempt(&|params, _| params.add(name, &arr1(&[5.0])));
        }
        trial.attempt(&|params, optimizer| optimizer.write_input(params, "weight", name, &gradient));
        trial.attempt(&|params, _| params.write_grad(name, &gradient));
        trial.attempt(&|params, optimizer| optimizer.step(params));
    }
    trial.backend.left.store(-1, Ordering::Relaxed);
    (seen(&trial.params, &trial.optimizer), trial.failed)
}

#[test]
fn a_failing_call_changes_nothing() {
    let (expected, failed) = train(-1);
    assert!(!failed);
    let mut calls = 0;
    while let (all, true) = train(calls) {
        assert!(all == expected, "after call {calls} had failed");
        calls += 1;
    }
    assert!(calls > 40, "only {calls} calls were tried");
}
