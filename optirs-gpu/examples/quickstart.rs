//! Minimizes ‖w − target‖² with AdamW, on a GPU if there is one: `cargo run --release --example quickstart`.

use optirs_gpu::ndarray::array;
use optirs_gpu::{AdamWParams, Device, GpuAdamW, GpuOptimError, ParamSet};

fn main() -> Result<(), GpuOptimError> {
    let device = Device::new().unwrap_or_else(|error| {
        println!("no GPU, so this runs on the CPU: {error}");
        Device::cpu()
    });
    let target = array![1.0, -2.0, 3.0f32];
    let mut params = ParamSet::new(&device, [("w", array![0.0f32, 0.0, 0.0].view().into_dyn())])?;
    let params_of_adamw = AdamWParams { learning_rate: 0.1, weight_decay: 0.0, ..AdamWParams::default() };
    let mut optimizer = GpuAdamW::on(&device, params_of_adamw)?;
    for _ in 0..200 {
        let gradient = 2.0 * (params.read("w")? - &target);
        params.write_grad("w", &gradient)?;
        optimizer.step(&mut params)?;
    }
    println!("on {}: w = {}, target {target}", device.name(), params.read("w")?);
    Ok(())
}
