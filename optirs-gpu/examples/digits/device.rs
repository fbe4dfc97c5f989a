//! Where an example runs.

use std::error::Error;

use optirs_gpu::Device;

/// The device that the arguments ask for.
pub fn choose(arguments: Vec<String>) -> Result<Device, Box<dyn Error>> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        [] => Ok(Device::new().unwrap_or_else(|error| {
            println!("no GPU, so this runs on the CPU: {error}");
            Device::cpu()
        })),
        ["--backend", "cpu"] => Ok(Device::cpu()),
        ["--backend", "wgpu"] => Ok(Device::new()?),
        _ => Err("usage: [--backend cpu|wgpu]".into()),
    }
}
