//! The devices that tests run on.

use optirs_gpu::Device;

/// The CPU back end.
pub fn cpu() -> Device {
    Device::cpu()
}

/// A GPU, or Mesa's software Vulkan where there is none. Without either: a failure where `OPTIRS_REQUIRE_GPU=1` is
/// set, else `None`, saying `SKIP:`.
pub fn gpu() -> Option<Device> {
    let found = Device::new().or_else(|error| {
        // `OPTIRS_ADAPTER` is the caller's choice: a test must not turn to another adapter behind it.
        if std::env::var_os("OPTIRS_ADAPTER").is_some() {
            return Err(error);
        }
        Device::with_config(optirs_gpu::DeviceConfig { allow_software: true, ..Default::default() })
    });
    match found {
        Ok(device) => Some(device),
        Err(error) if std::env::var_os("OPTIRS_REQUIRE_GPU").is_some_and(|value| value == "1") => {
            panic!("OPTIRS_REQUIRE_GPU=1, but there is no device: {error}")
        }
        Err(error) => {
            println!("SKIP: no GPU: {error}");
            None
        }
    }
}
