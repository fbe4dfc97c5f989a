//! The training loop: gradients from the host, the update on the device.

use std::error::Error;

use indicatif::{ProgressBar, ProgressStyle};
use optirs_gpu::{AdamWParams, Device, GpuAdamW, ParamSet};

use crate::data::{Digits, Random};
use crate::model::{Model, NAMES};

const EPOCHS: usize = 40;
const BATCH: usize = 32;

/// What a training gave.
pub struct Run {
    /// The trained model.
    pub model: Model,
    /// Loss of every step.
    pub losses: Vec<f32>,
    /// Share of the test images that it names rightly.
    pub accuracy: f64,
}

/// Trains from the same start, over the same batches, on the given device.
pub fn train(device: &Device, digits: &Digits) -> Result<Run, Box<dyn Error>> {
    let mut model = Model::new(7);
    let mut params = ParamSet::new(device, model.tensors())?;
    let mut optimizer = GpuAdamW::on(device, AdamWParams { learning_rate: 2e-3, ..AdamWParams::default() })?;

    let mut places: Vec<usize> = (0..digits.train.len()).collect();
    let mut random = Random::new(3);
    let mut losses = Vec::new();
    let bar = ProgressBar::new(EPOCHS as u64);
    bar.set_style(ProgressStyle::with_template("{bar:40} epoch {pos}/{len}  loss {msg}")?);
    for _ in 0..EPOCHS {
        random.shuffle(&mut places);
        for batch in places.chunks(BATCH) {
            let (loss, gradient) = model.loss(&digits.train.pick(batch));
            for (name, gradient) in gradient.tensors() {
                params.write_grad(name, &gradient)?;
            }
            optimizer.step(&mut params)?;
            let [a, b, c, d] = NAMES.map(|name| params.read(name));
            model = Model::from_tensors([a?, b?, c?, d?])?;
            losses.push(loss);
        }
        bar.set_message(losses.last().map(|loss| format!("{loss:.4}")).unwrap_or_default());
        bar.inc(1);
    }
    bar.finish();
    let accuracy = model.accuracy(&digits.test);
    Ok(Run { model, losses, accuracy })
}
