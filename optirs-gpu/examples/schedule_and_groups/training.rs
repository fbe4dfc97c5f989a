//! The training: warm-up and cosine decay, weight decay on the weights alone, gradients clipped by the norm of all of
//! them, and a checkpoint in the middle.

use std::error::Error;
use std::ops::Range;
use std::path::Path;

use optirs_gpu::{AdamWParams, Clipping, Device, GpuAdamW, GpuOptimError, GroupId, ParamSet, Schedule};

use super::data::{Digits, Random};
use super::model::{Model, NAMES};

const BATCH: usize = 32;
const STEPS: u64 = 360;
const WARM_UP: u64 = 40;
const PEAK: f32 = 4e-3;
/// A norm that gradients exceed in the first steps.
const LARGEST_NORM: f32 = 0.5;

/// What training led to, without a stop and from the checkpoint.
pub struct Outcome {
    /// Share of the test images that the model names rightly.
    pub accuracy: f64,
    /// The largest difference between the parameters of the two.
    pub difference: f32,
}

/// Trains once without a stop, leaving a checkpoint in the middle, and once from the checkpoint.
pub fn run(device: &Device, digits: &Digits, checkpoint: &Path) -> Result<Outcome, Box<dyn Error>> {
    let half = STEPS / 2;
    let (mut params, mut optimizer) = begin(device, 7)?;
    train(&mut params, &mut optimizer, digits, 0..half)?;
    optimizer.save(&params, checkpoint)?;
    train(&mut params, &mut optimizer, digits, half..STEPS)?;
    let straight = model(&params)?;

    // Made as before, but from other weights, which the checkpoint replaces; it also has the step at which the schedule is.
    let (mut params, mut optimizer) = begin(device, 8)?;
    optimizer.load(&mut params, checkpoint)?;
    let rest = optimizer.step_count()..STEPS;
    train(&mut params, &mut optimizer, digits, rest)?;
    let resumed = model(&params)?;

    Ok(Outcome { accuracy: resumed.accuracy(&digits.test), difference: resumed.distance(&straight) })
}

fn begin(device: &Device, seed: u64) -> Result<(ParamSet, GpuAdamW), GpuOptimError> {
    let params = ParamSet::new(device, Model::new(seed).tensors())?;
    let decayed = AdamWParams { weight_decay: 0.05, ..AdamWParams::default() };
    let mut optimizer = GpuAdamW::on(device, decayed)?;
    let biases =
        optimizer.add_group_where(AdamWParams { weight_decay: 0.0, ..decayed }, |name| name.ends_with("bias"))?;
    optimizer.set_clipping(Clipping::GlobalNorm(LARGEST_NORM))?;
    let rate = Schedule::linear(0.0, PEAK, WARM_UP)?.then(WARM_UP, Schedule::cosine(PEAK, 0.0, STEPS - WARM_UP)?);
    for group in [GroupId::DEFAULT, biases] {
        let rate = rate.clone();
        optimizer.set_schedule(group, move |params, step| params.learning_rate = rate.at(step))?;
    }
    Ok((params, optimizer))
}

/// Takes these steps. Which images a step sees depends on its number alone, so that it can be the first one of a run.
fn train(
    params: &mut ParamSet,
    optimizer: &mut GpuAdamW,
    digits: &Digits,
    steps: Range<u64>,
) -> Result<(), Box<dyn Error>> {
    let batches = (digits.train.len() / BATCH) as u64;
    for step in steps {
        let mut places: Vec<usize> = (0..digits.train.len()).collect();
        Random::new(step / batches).shuffle(&mut places);
        let start = (step % batches) as usize * BATCH;
        let (_, gradient) = model(params)?.loss(&digits.train.pick(&places[start..start + BATCH]));
        for (name, gradient) in gradient.tensors() {
            params.write_grad(name, &gradient)?;
        }
        optimizer.step(params)?;
    }
    Ok(())
}

fn model(params: &ParamSet) -> Result<Model, Box<dyn Error>> {
    let [a, b, c, d] = NAMES.map(|name| params.read(name));
    Ok(Model::from_tensors([a?, b?, c?, d?])?)
}
