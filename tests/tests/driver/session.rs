//! A short training run, call by call.

use optirs_gpu::{Device, GpuLamb, GpuOptimError, LambParams, ParamSet};
use scirs2_core::ndarray::Array1;

const LEN: usize = 9000;

/// What is trained; nothing of it is there at first.
pub struct Session {
    pub device: Device,
    params: Option<ParamSet>,
    optimizer: GpuLamb,
}

type Call = fn(&mut Session) -> Result<(), GpuOptimError>;

/// From an empty device to the states of the second step. A rule with two passes and finishes between them.
pub const CALLS: &[(&str, Call)] = &[
    ("a set", |session| {
        session.params = Some(ParamSet::new(&session.device, [("w", wave(0.1)), ("b", wave(0.2))])?);
        Ok(())
    }),
    ("a gradient", |session| session.set().write_grad("w", &wave(0.3))),
    ("the first step", Session::step),
    ("a read", |session| session.set().read("w").map(drop)),
    ("another gradient", |session| session.set().write_grad("b", &wave(0.4))),
    ("the second step", Session::step),
    ("a read of a state", |session| session.optimizer.state("v", "w").map(drop)),
    ("a wait", |session| session.device.wait()),
];

fn wave(rate: f32) -> Array1<f32> {
    Array1::from_shape_fn(LEN, |index| (rate * index as f32).sin())
}

impl Session {
    pub fn on(device: Device) -> Session {
        let optimizer = GpuLamb::on(&device, LambParams::default()).unwrap();
        Session { device, params: None, optimizer }
    }

    fn set(&mut self) -> &mut ParamSet {
        self.params.as_mut().unwrap()
    }

    fn step(&mut self) -> Result<(), GpuOptimError> {
        self.optimizer.step(self.params.as_mut().unwrap())
    }

    /// Goes to another device, from the start.
    pub fn begin_again(&mut self, device: Device) {
        self.optimizer.reset();
        self.optimizer.move_to(&device).unwrap();
        self.params = None;
        self.device = device;
    }

    /// Counters: of the optimizer and of tensors.
    pub fn counted(&self) -> (u64, [u64; 2]) {
        let of = |tensor| self.optimizer.tensor_step_count(tensor).unwrap_or(0);
        (self.optimizer.step_count(), ["w", "b"].map(of))
    }

    /// Buffers and bytes on the device.
    pub fn held(&self) -> (u64, u64) {
        let memory = self.device.memory();
        (memory.buffers, memory.bytes)
    }

    /// Parameters and states, as bits.
    pub fn seen(&self) -> Vec<Vec<u32>> {
        let params = self.params.as_ref().unwrap();
        let mut seen = Vec::new();
        for tensor in ["w", "b"] {
            let arrays = [params.read(tensor), self.optimizer.state("m", tensor), self.optimizer.state("v", tensor)];
            seen.extend(arrays.map(|array| array.unwrap().iter().map(|value| value.to_bits()).collect()));
        }
        seen
    }
}
