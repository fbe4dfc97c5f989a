//! Devices that optimizers share without being told to: one per configuration, and only as long as somebody holds it.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::{Device, DeviceConfig, Inner};
use crate::GpuOptimError;

static OPEN: Mutex<Vec<(DeviceConfig, Weak<Inner>)>> = Mutex::new(Vec::new());

/// The open device with this configuration, or a new one. The lock is held while it is opened, so that two threads open
/// one. A lost device is not shared any further.
pub(super) fn shared(config: DeviceConfig) -> Result<Device, GpuOptimError> {
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    open.retain(|(_, device)| device.strong_count() > 0);
    let found = open.iter().filter(|(known, _)| *known == config).find_map(|(_, device)| device.upgrade());
    if let Some(inner) = found {
        if inner.backend.check().is_ok() {
            return Ok(Device { inner });
        }
        open.retain(|(known, _)| *known != config);
    }
    let device = Device::with_config(config.clone())?;
    open.push((config, Arc::downgrade(&device.inner)));
    Ok(device)
}
