//! A training run as a list of calls, on a device that meets a fault at each place where one can be.
//!
//! The call that meets it returns the error that is expected and has changed nothing that a user sees. After a fault that
//! passes, the device holds as much memory as before, the call succeeds when it is made again, and the run ends as an
//! undisturbed one.

use std::sync::Arc;

use scirs2_core::ndarray::Array1;

use super::kinds::STATES;
use super::kinds::kinds::{Kinds, KindsParams};
use crate::backend::faulty::Faulty;
use crate::{Clipping, Device, DynamicLossScaler, GpuOptimError, MixedPrecisionConfig, Optimizer, ParamSet};

/// What is trained. Neither is there at first.
pub struct Training {
    pub device: Device,
    pub params: Option<ParamSet>,
    pub optimizer: Option<Optimizer<Kinds>>,
}

pub type Done = Result<(), GpuOptimError>;
pub type Call = fn(&mut Training) -> Done;

/// From nothing through the first step, a tensor that joins, a move to the host and back, both modes, and tables for other
/// tensors.
pub const CALLS: &[(&str, Call)] = &[
    ("a set", Training::make_set),
    ("an optimizer", Training::make_optimizer),
    ("w's input", |training| training.give_input("w", 1)),
    ("w's gradient", |training| training.give_gradient("w", 2)),
    ("b's input", |training| training.give_input("b", 3)),
    ("b's gradient", |training| training.give_gradient("b", 4)),
    ("the first step", Training::step),
    ("a read", |training| training.set()?.read("w").map(drop)),
    ("a tensor that joins", |training| training.set()?.add("late", &noise(300, 5))),
    ("its input", |training| training.give_input("late", 6)),
    ("its gradient", |training| training.give_gradient("late", 7)),
    ("the second step", Training::step),
    ("a read of a state", |training| training.optimizer()?.state("m", "late").map(drop)),
    ("a move to the host", |training| training.optimizer()?.move_to_cpu()),
    ("a move back", |training| training.optimizer()?.move_to_gpu()),
    ("the step after it", Training::step),
    ("clipping by the norm", |training| training.optimizer()?.set_clipping(Clipping::GlobalNorm(0.5))),
    ("a clipped step", Training::step),
    ("clipping by each norm", |training| training.optimizer()?.set_clipping(Clipping::TensorNorm(0.5))),
    ("a loss scaler", |training| {
        let scaler = DynamicLossScaler::new(MixedPrecisionConfig::default());
        training.optimizer()?.set_loss_scaler(scaler)
    }),
    ("a gradient that overflows", |training| training.set()?.write_grad("b", &Array1::from_elem(5, f32::INFINITY))),
    ("a step that is skipped", Training::step),
    ("b's gradient again", |training| training.give_gradient("b", 10)),
    ("a step with half the scale", Training::step),
    ("the loss scale", |training| training.optimizer()?.loss_scale().map(drop)),
    ("no loss scaler", |training| training.optimizer()?.set_loss_scaler(None)),
    ("no clipping", |training| training.optimizer()?.set_clipping(Clipping::Off)),
    ("an entry", |training| training.entry("eval")),
    ("an entry back", |training| training.entry("train")),
    ("a step of some tensors", |training| {
        training.set()?.set_grad_missing("w")?;
        let stepped = training.step();
        training.set()?.set_grad_present("w")?;
        stepped
    }),
    ("the last step", Training::step),
];

impl Training {
    pub fn on(device: Device) -> Training {
        Training { device, params: None, optimizer: None }
    }

    fn set(&mut self) -> Result<&mut ParamSet, GpuOptimError> {
        Ok(self.params.as_mut().unwrap())
    }

    fn optimizer(&mut self) -> Result<&mut Optimizer<Kinds>, GpuOptimError> {
        Ok(self.optimizer.as_mut().unwrap())
    }

    fn make_set(&mut self) -> Done {
        self.params = Some(ParamSet::new(&self.device, [("w", noise(9000, 8)), ("b", noise(5, 9))])?);
        Ok(())
    }

    fn make_optimizer(&mut self) -> Done {
        let mut optimizer = Optimizer::on(&self.device, KindsParams::default())?;
        optimizer.add_group(self.set()?, KindsParams { rate: 0.125, ..KindsParams::default() }, ["b"])?;
        optimizer.set_scalar("loss", 0.5)?;
        self.optimizer = Some(optimizer);
        Ok(())
    }

    fn give_input(&mut self, name: &str, seed: u32) -> Done {
        let (params, optimizer) = (self.params.as_ref().unwrap(), self.optimizer.as_mut().unwrap());
        optimizer.write_input(params, "weight", name, &noise(params.shape(name)?[0], seed))
    }

    fn give_gradient(&mut self, name: &str, seed: u32) -> Done {
        let params = self.params.as_mut().unwrap();
        params.write_grad(name, &noise(params.shape(name)?[0], seed))
    }

    fn step(&mut self) -> Done {
        self.optimizer.as_mut().unwrap().step(self.params.as_mut().unwrap())
    }

    fn entry(&mut self, name: &str) -> Done {
        self.optimizer.as_mut().unwrap().run_entry(name, self.params.as_mut().unwrap())
    }

    /// Everything that a user can see, as bits and texts.
    pub fn seen(&self) -> Vec<String> {
        let mut seen = Vec::new();
        let Some(params) = &self.params else { return seen };
        for name in params.names() {
            let bits = params.read(name).unwrap().mapv(f32::to_bits);
            seen.push(format!("{name}: {:?} {}", bits.as_slice(), params.has_grad(name).unwrap()));
        }
        let Some(optimizer) = &self.optimizer else { return seen };
        seen.push(format!("{} steps, {:?} mode", optimizer.step_count(), optimizer.mode()));
        for name in params.names() {
            let steps = optimizer.tensor_step_count(name).unwrap_or(0);
            seen.push(format!("{name}: {steps} steps, age {:?}", optimizer.host_state("age", name).ok()));
            for state in STATES {
                let bits = optimizer.state(state, name).ok().map(|state| state.mapv(f32::to_bits));
                seen.push(format!("{name}.{state}: {:?}", bits.as_ref().and_then(|bits| bits.as_slice())));
            }
        }
        seen
    }

    /// Bytes and buffers that are held.
    fn held(&self) -> (u64, u64) {
        let memory = self.device.memory();
        (memory.bytes, memory.buffers)
    }
}

/// Something without pattern, from -1 to 1.
fn noise(len: usize, seed: u32) -> Array1<f32> {
    let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(12_345);
    Array1::from_shape_simple_fn(len, || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    })
}

/// A call that meets the fault: which of [`CALLS`], and the how manieth of the counted calls to the back end within it.
pub type Place = (usize, i64);

/// Runs the training undisturbed; returns how it ends, and all places at which the fault can be.
pub fn undisturbed(faulty: &Arc<Faulty>, like: &Device) -> (Vec<String>, Vec<Place>) {
    const FAR: i64 = 1 << 40;
    let mut training = Training::on(faulty.device(like));
    let mut places = Vec::new();
    for (index, (_, call)) in CALLS.iter().enumerate() {
        // What looks waits for what the step before has found, as it does before each fault.
        training.seen();
        faulty.set(FAR);
        call(&mut training).unwrap();
        places.extend((0..FAR - faulty.set(-1)).map(|place| (index, place)));
    }
    (training.seen(), places)
}

/// Runs the training once for each place of a fault that passes; returns how many there are.
pub fn with_every_fault(faulty: &Arc<Faulty>, like: &Device, is_expected: fn(&GpuOptimError) -> bool) -> usize {
    let (expected, places) = undisturbed(faulty, like);
    for (failing, place) in &places {
        let mut training = Training::on(faulty.device(like));
        let nothing = training.held();
        for (index, (name, call)) in CALLS.iter().enumerate() {
            if index == *failing {
                let before = (training.seen(), training.held());
                faulty.set(*place);
                let error = call(&mut training).expect_err(name);
                assert!(faulty.is_spent() && is_expected(&error), "{name}, fault {place}: {error}");
                faulty.set(-1);
                assert!((training.seen(), training.held()) == before, "{name}, fault {place}, has changed something");
            }
            call(&mut training).unwrap_or_else(|error| panic!("{name} after fault {place}: {error}"));
        }
        assert!(training.seen() == expected, "{} failed at {place}: the run ended otherwise", CALLS[*failing].0);
        let device = training.device.clone();
        drop(training);
        let memory = device.memory();
        assert_eq!((memory.bytes, memory.buffers), nothing, "memory is left");
    }
    places.len()
}
