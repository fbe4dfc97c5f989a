//! What a synchronization runs on: a device of ours, or a context of scirs2-core that can run kernels.

use core::time::Duration;
use std::sync::Arc;

use scirs2_core::gpu::{GpuBackend, GpuContext};

use super::{MultiGpuConfig, MultiGpuSync};
use crate::{Device, DeviceConfig, GpuOptimError};

/// What [`MultiGpuSync::new`] takes: a [`Device`], or a [`GpuContext`] of scirs2-core.
pub trait SyncContext {
    /// The device that kernels run on. Where it is opened here, it gives up after this time.
    ///
    /// # Errors
    /// [`GpuOptimError::UnsupportedOperation`] for a context that cannot run kernels; what opening the device says.
    fn into_device(self, timeout: Duration) -> Result<Device, GpuOptimError>;
}

impl SyncContext for Device {
    fn into_device(self, _: Duration) -> Result<Device, GpuOptimError> {
        Ok(self)
    }
}

impl SyncContext for &Device {
    fn into_device(self, _: Duration) -> Result<Device, GpuOptimError> {
        Ok(self.clone())
    }
}

/// A device of the context's back end is opened, or shared with others that were: gradients come from the host, so
/// nothing in the context's own memory is needed. That of its CPU back end takes kernels and runs none.
impl SyncContext for Arc<GpuContext> {
    fn into_device(self, timeout: Duration) -> Result<Device, GpuOptimError> {
        let backend = self.backend();
        if backend == GpuBackend::Cpu {
            return Err(GpuOptimError::UnsupportedOperation(
                "scirs2-core's CPU context runs no kernels: pass `Device::cpu()`, or a device of a GPU".to_owned(),
            ));
        }
        Device::shared(DeviceConfig { backend: Some(backend), timeout, ..DeviceConfig::default() })
    }
}

/// The synchronization of all devices of a training, made in one call: of one device, the best GPU that there is.
pub struct MultiGpuSetup {
    /// scirs2-core's contexts: one where the device is of the back end `Metal`, which is scirs2-core's; none where it is of
    /// wgpu, which needs none. [`MultiGpuSync::device`] is there in both cases.
    pub contexts: Vec<Arc<GpuContext>>,
    /// One for each device.
    pub sync_managers: Vec<MultiGpuSync<f32>>,
}

impl MultiGpuSetup {
    /// Opens the device, as [`Device::new`] does, with the default configuration.
    ///
    /// # Errors
    /// As [`MultiGpuSync::new`]: [`GpuOptimError::UnsupportedOperation`] for more than one; what opening the device says.
    pub fn new(num_gpus: usize, max_param_size: usize) -> Result<Self, GpuOptimError> {
        let config = MultiGpuConfig { num_gpus, ..MultiGpuConfig::default() };
        config.validate()?;
        config.check_supported()?;
        let timeout = Duration::from_millis(config.communication_timeout_ms);
        let device = Device::shared(DeviceConfig { timeout, ..DeviceConfig::default() })?;
        let contexts = match device.backend() {
            GpuBackend::Metal => vec![Arc::new(GpuContext::new(GpuBackend::Metal)?)],
            _ => Vec::new(),
        };
        Ok(Self { contexts, sync_managers: vec![MultiGpuSync::new(device, config, max_param_size)?] })
    }
}
