//! The devices that a test runs on.

use std::fmt::Display;
use std::io::Write;

use optirs_gpu::{Device, DeviceConfig};

/// A GPU with this configuration, a software one if there is no other. Where the machine has none, the test says that
/// it is skipped, and fails if `OPTIRS_REQUIRE_GPU` is 1.
///
/// # Panics
/// Where a GPU is required and there is none.
pub fn gpu(config: DeviceConfig) -> Option<Device> {
    found(Device::with_config(DeviceConfig { allow_software: true, ..config }))
}

/// The GPU that is taken unasked, as the classic surface does: a software one only where `OPTIRS_ADAPTER` names it, to
/// which `tests/run.sh` sees. Otherwise as [`gpu`].
///
/// # Panics
/// Where a GPU is required and there is none.
pub fn default_gpu() -> Option<Device> {
    found(Device::new())
}

/// What was found of what a test needs, a device or a tool; or says that the test is skipped, and fails if
/// `OPTIRS_REQUIRE_GPU` is 1.
///
/// # Panics
/// Where it is required and was not found.
pub fn found<T, E: Display>(needed: Result<T, E>) -> Option<T> {
    match needed {
        Ok(found) => Some(found),
        Err(error) => {
            let required = std::env::var("OPTIRS_REQUIRE_GPU").is_ok_and(|value| value == "1");
            assert!(!required, "{error}");
            // Past the test harness, which keeps to itself what a passing test prints. Where nobody listens, so be it.
            let _ = writeln!(std::io::stdout(), "SKIP: {error}");
            None
        }
    }
}

/// The CPU, and the GPU if there is one.
pub fn all() -> Vec<Device> {
    core::iter::once(Device::cpu()).chain(gpu(DeviceConfig::default())).collect()
}
