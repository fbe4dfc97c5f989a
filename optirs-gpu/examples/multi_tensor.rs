//! A hundred tensors in one set, in two groups, stepped by one dispatch: `cargo run --release --example multi_tensor`.
//!
//! Weights decay, biases do not. Each step is one submission, however many tensors there are.

use std::time::Instant;

use optirs_gpu::ndarray::ArrayD;
use optirs_gpu::{AdamWParams, Device, GpuAdamW, GpuOptimError, ParamSet};

fn main() -> Result<(), GpuOptimError> {
    let device = Device::new().unwrap_or_else(|error| {
        println!("no GPU, so this runs on the CPU: {error}");
        Device::cpu()
    });

    let layers = (0..50).flat_map(|layer| {
        let weight = ArrayD::from_elem(vec![128, 128], 0.02f32 * (layer as f32 + 1.0));
        let bias = ArrayD::zeros(vec![128]);
        [(format!("layer{layer}.weight"), weight), (format!("layer{layer}.bias"), bias)]
    });
    let tensors: Vec<(String, ArrayD<f32>)> = layers.collect();
    let mut params = ParamSet::new(&device, tensors.iter().map(|(name, tensor)| (name.as_str(), tensor.view())))?;

    let mut optimizer = GpuAdamW::on(&device, AdamWParams { weight_decay: 0.1, ..AdamWParams::default() })?;
    let without_decay = AdamWParams { weight_decay: 0.0, ..AdamWParams::default() };
    optimizer.add_group_where(without_decay, |name| name.ends_with("bias"))?;

    let start = Instant::now();
    const STEPS: u32 = 100;
    for _ in 0..STEPS {
        for (name, tensor) in &tensors {
            params.write_grad(name, &tensor.map(|x| x * 0.1 + 0.01))?;
        }
        optimizer.step(&mut params)?;
    }
    let elements: usize = tensors.iter().map(|(_, tensor)| tensor.len()).sum();
    let weight = params.read("layer0.weight")?;
    println!("{STEPS} steps over {} tensors, {elements} parameters, on {}", tensors.len(), device.name());
    println!(
        "{:.2?} a step with its gradients' upload; layer0.weight[0, 0] = {}",
        start.elapsed() / STEPS,
        weight[[0, 0]]
    );
    Ok(())
}
