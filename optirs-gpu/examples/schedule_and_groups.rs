//! Trains a classifier on handwritten digits with warm-up and cosine decay, weight decay on the weights alone, and clipped
//! gradients; stops in the middle, goes on from a checkpoint, and ends where it ends without the stop, to the bit.
//!
//! `cargo run --release --example schedule_and_groups [-- --backend cpu|wgpu]`
//!
//! Without `--backend` it runs on a GPU if there is one and otherwise, saying so, on the CPU. The checkpoint,
//! `target/digits/training.safetensors`, is left behind to be looked at. The data are those of the example `digits`.

#[path = "digits/data.rs"]
mod data;
#[path = "digits/device.rs"]
mod device;
#[path = "digits/model.rs"]
mod model;
#[path = "schedule_and_groups/training.rs"]
mod training;

use std::error::Error;
use std::path::Path;

/// What a run must reach on the images that it has not seen.
const EXPECTED_ACCURACY: f64 = 0.94;

fn main() -> Result<(), Box<dyn Error>> {
    let device = device::choose(std::env::args().skip(1).collect())?;
    println!("device: {device}");
    let folder = Path::new("target/digits");
    std::fs::create_dir_all(folder)?;
    let outcome = training::run(&device, &data::Digits::split()?, &folder.join("training.safetensors"))?;
    println!("test accuracy: {:.4}", outcome.accuracy);
    println!("largest difference between going on from the checkpoint and not stopping: {:e}", outcome.difference);
    if outcome.difference != 0.0 {
        return Err("the two do not end alike".into());
    }
    if outcome.accuracy < EXPECTED_ACCURACY {
        return Err(format!("test accuracy {:.4} is below {EXPECTED_ACCURACY}", outcome.accuracy).into());
    }
    Ok(())
}
