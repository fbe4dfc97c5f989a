//! The devices that a test runs on.

use optirs_gpu::{Device, DeviceConfig};

/// A GPU with this configuration, a software one if there is no other. Where the machine has none, the test says that
/// it is skipped, and fails if `OPTIRS_REQUIRE_GPU` is 1.
///
/// # Panics
/// Where a GPU is required and there is none.
pub fn gpu(config: DeviceConfig) -> Option<Device> {
    match Device::with_config(DeviceConfig { allow_software: true, ..config }) {
        Ok(device) => Some(device),
        Err(error) => {
            let required = std::env::var("OPTIRS_REQUIRE_GPU").is_ok_and(|value| value == "1");
            assert!(!required, "{error}");
            println!("SKIP: {error}");
            None
        }
    }
}

/// The CPU, and the GPU if there is one.
pub fn all() -> Vec<Device> {
    core::iter::once(Device::cpu()).chain(gpu(DeviceConfig::default())).collect()
}
