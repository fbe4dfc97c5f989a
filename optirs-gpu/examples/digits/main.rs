//! Trains a classifier on real handwritten digits, with AdamW generated from its rule.
//!
//! `cargo run --release --example digits [-- --backend cpu|wgpu]`
//!
//! Without `--backend` it runs on a GPU if there is one and otherwise, saying so, on the CPU. The gradient is worked
//! out on the host with ndarray; parameters, moments and the update live on the device. Prints the test accuracy and
//! how far the parameters end up from the same training on the CPU, and draws the loss into `target/digits/loss.svg`.
//!
//! The data (`digits.csv`): the test set of "Optical Recognition of Handwritten Digits", E. Alpaydin and C. Kaynak,
//! UCI Machine Learning Repository, 1998, <https://doi.org/10.24432/C50P49>, CC BY 4.0.

mod data;
mod device;
mod model;
mod plot;
mod training;

use std::error::Error;
use std::path::Path;

use optirs_gpu::Device;
use optirs_gpu::optimizers::GpuBackend;

use crate::data::Digits;
use crate::training::train;

/// What a run must reach on the images that it has not seen.
const EXPECTED_ACCURACY: f64 = 0.96;

fn main() -> Result<(), Box<dyn Error>> {
    let device = device::choose(std::env::args().skip(1).collect())?;
    println!("device: {device}");

    let digits = Digits::split()?;
    println!("digits: {} images to learn from, {} to test on", digits.train.len(), digits.test.len());

    let run = train(&device, &digits)?;
    println!("test accuracy: {:.4}", run.accuracy);

    if device.backend() == GpuBackend::Cpu {
        println!("difference to the CPU: none, this is the CPU");
    } else {
        let reference = train(&Device::cpu(), &digits)?;
        println!("largest difference to the same training on the CPU: {:.1e}", run.model.distance(&reference.model));
    }

    let picture = Path::new("target/digits/loss.svg");
    plot::loss(picture, &run.losses)?;
    println!("loss curve: {}", picture.display());

    if run.accuracy < EXPECTED_ACCURACY {
        return Err(format!("test accuracy {:.4} is below {EXPECTED_ACCURACY}", run.accuracy).into());
    }
    Ok(())
}
