//! Devices: what parameters live on and steps run on.

mod adapter;
mod config;
#[cfg(feature = "wgpu")]
mod select;
mod shared;

use core::fmt;
use std::sync::Arc;

pub use adapter::{AdapterInfo, AdapterKind};
pub use config::{DeviceConfig, DeviceLimits, LimitsChoice};
#[cfg(feature = "wgpu")]
pub(crate) use select::{choose, none_taken};

pub use crate::backend::DeviceMemory;
/// The back ends that a [`DeviceConfig`] chooses from.
pub use scirs2_core::gpu::GpuBackend;

use crate::GpuOptimError;
use crate::backend::Backend;
use crate::backend::cpu::CpuBackend;

/// A device: a GPU through wgpu (Vulkan, Metal, DX12) or, on macOS, through scirs2-core; or the CPU. Cloning it shares
/// it: two optimizers over one clone each run on one device, and so do their parameters.
///
/// No call panics, waits longer than [`DeviceConfig::timeout`], or goes on in silence on a lost device. Dropping the
/// last clone of a device waits until its queue is empty, and closes it if it was opened here. NVIDIA's driver for Linux
/// is the exception: it can deadlock where a device is closed while another thread ends, so there the device stays open,
/// idle, and is what the next one with equal limits gets.
#[derive(Clone)]
pub struct Device {
    inner: Arc<Inner>,
}

struct Inner {
    backend: Arc<dyn Backend>,
    /// The same one, where it is wgpu's.
    #[cfg(feature = "wgpu")]
    wgpu: Option<Arc<crate::backend::wgpu::WgpuBackend>>,
    kind: GpuBackend,
    info: AdapterInfo,
}

impl Device {
    /// Opens the best GPU: a discrete one before an integrated one, a software adapter only if the environment variable
    /// `OPTIRS_ADAPTER` names it.
    ///
    /// # Errors
    /// [`GpuOptimError::NoAdapter`] lists every adapter that was seen and why it was not taken.
    pub fn new() -> Result<Self, GpuOptimError> {
        Self::with_config(DeviceConfig::default())
    }

    /// Opens the device that the configuration chooses.
    ///
    /// # Errors
    /// [`GpuOptimError::NoAdapter`] as in [`Device::new`]; [`GpuOptimError::UnsupportedOperation`] for a back end that
    /// this build does not have; [`GpuOptimError::OutOfRange`] for limits within which nothing can be done;
    /// [`GpuOptimError::Device`] if the driver refuses.
    pub fn with_config(config: DeviceConfig) -> Result<Self, GpuOptimError> {
        let config = config.resolved();
        config.check_limits()?;
        match config.backend()? {
            #[cfg(feature = "wgpu")]
            GpuBackend::Wgpu => {
                let (backend, info) = crate::backend::wgpu::open(&config)?;
                Ok(Self::over_wgpu(backend, info))
            }
            #[cfg(all(feature = "metal", target_os = "macos"))]
            GpuBackend::Metal => {
                let (backend, info) = crate::backend::metal::open(&config)?;
                Ok(Self::over(Arc::new(backend), GpuBackend::Metal, info))
            }
            GpuBackend::Cpu => Ok(Self::over_cpu(&config)),
            other => Err(GpuOptimError::UnsupportedOperation(format!("the back end {other} is not in this build"))),
        }
    }

    /// The CPU: the same rules as generated Rust, on all cores. Nothing on it can fail to open. Each call gives another
    /// device: a [`ParamSet`](crate::ParamSet) and its optimizer need the same one, or its clone.
    pub fn cpu() -> Self {
        Self::over_cpu(&DeviceConfig::default())
    }

    /// The device that others with an equal configuration share, as long as one of them holds it; else a new one.
    ///
    /// # Errors
    /// As [`Device::with_config`].
    pub fn shared(config: DeviceConfig) -> Result<Self, GpuOptimError> {
        shared::shared(config.resolved())
    }

    /// Uses a device that somebody else opened. No callback is installed on it, and it may be used for other work at the
    /// same time. It must allow 8 storage buffers in a shader and workgroups of 256.
    ///
    /// # Errors
    /// [`GpuOptimError::UnsupportedOperation`] says what it does not allow; [`GpuOptimError::DeviceLost`].
    #[cfg(feature = "wgpu")]
    pub fn from_wgpu(device: wgpu::Device, queue: wgpu::Queue) -> Result<Self, GpuOptimError> {
        Self::from_wgpu_with_config(device, queue, &DeviceConfig::default())
    }

    /// [`Device::from_wgpu`] with another time limit or number of steps in flight; the rest of the configuration is
    /// about opening a device.
    ///
    /// # Errors
    /// As [`Device::from_wgpu`].
    #[cfg(feature = "wgpu")]
    pub fn from_wgpu_with_config(
        device: wgpu::Device,
        queue: wgpu::Queue,
        config: &DeviceConfig,
    ) -> Result<Self, GpuOptimError> {
        let DeviceConfig { steps_in_flight, timeout, .. } = *config;
        let backend = crate::backend::wgpu::WgpuBackend::new(&device, &queue, false, steps_in_flight, timeout)?;
        Ok(Self::over_wgpu(backend, crate::backend::wgpu::foreign(&device)))
    }

    /// The adapters of this machine, each with the reason why [`Device::new`] does not take it. No process is started
    /// and no device opened to find them. The CPU back end stands last.
    ///
    /// # Errors
    /// None today.
    pub fn adapters() -> Result<Vec<AdapterInfo>, GpuOptimError> {
        #[cfg(feature = "wgpu")]
        let gpus = crate::backend::wgpu::adapters(&DeviceConfig::default().resolved());
        #[cfg(not(feature = "wgpu"))]
        let gpus = Vec::new();
        #[cfg(all(feature = "metal", target_os = "macos"))]
        let metal = crate::backend::metal::adapter();
        #[cfg(not(all(feature = "metal", target_os = "macos")))]
        let metal = None;
        Ok(gpus.into_iter().chain(metal).chain([AdapterInfo::cpu()]).collect())
    }

    /// What runs the steps: `Wgpu`, `Metal` or `Cpu`.
    pub fn backend(&self) -> GpuBackend {
        self.inner.kind
    }

    /// The adapter's name.
    pub fn name(&self) -> &str {
        &self.inner.info.name
    }

    /// The adapter.
    pub fn adapter(&self) -> &AdapterInfo {
        &self.inner.info
    }

    /// Whether a driver runs the shaders on the CPU.
    pub fn is_software(&self) -> bool {
        self.inner.info.kind == AdapterKind::Software
    }

    /// What it can do in one piece.
    pub fn limits(&self) -> DeviceLimits {
        self.inner.backend.limits().into()
    }

    /// What is allocated on it.
    pub fn memory(&self) -> DeviceMemory {
        self.inner.backend.memory()
    }

    /// Waits until all submitted work is done.
    ///
    /// # Errors
    /// [`GpuOptimError::Timeout`] after [`DeviceConfig::timeout`]; [`GpuOptimError::DeviceLost`].
    pub fn wait(&self) -> Result<(), GpuOptimError> {
        self.inner.backend.wait()
    }

    /// The wgpu device and queue, for kernels of your own on the same memory. The callbacks of a device that was opened
    /// here are in use.
    #[cfg(feature = "wgpu")]
    pub fn wgpu(&self) -> Option<(&wgpu::Device, &wgpu::Queue)> {
        self.inner.wgpu.as_ref().map(|backend| backend.parts())
    }

    /// The back end, where it is wgpu's: to bind buffers of others in place.
    #[cfg(feature = "wgpu")]
    pub(crate) fn wgpu_backend(&self) -> Option<&Arc<crate::backend::wgpu::WgpuBackend>> {
        self.inner.wgpu.as_ref()
    }

    /// The same device, but that its writes, copies and runs become commands of a recorder. None for a back end that does not
    /// record.
    #[cfg(feature = "wgpu")]
    pub(crate) fn recording(&self) -> Option<(Self, Arc<crate::backend::wgpu::Recorder>)> {
        let backend = self.inner.wgpu.as_ref()?;
        let recorder = Arc::new(crate::backend::wgpu::Recorder::over(Arc::clone(backend)));
        let Inner { kind, info, .. } = &*self.inner;
        let raw: Arc<dyn Backend> = Arc::clone(&recorder) as _;
        let inner = Inner { backend: raw, wgpu: Some(Arc::clone(backend)), kind: *kind, info: info.clone() };
        Some((Self { inner: Arc::new(inner) }, recorder))
    }

    /// The back end.
    pub(crate) fn raw(&self) -> &Arc<dyn Backend> {
        &self.inner.backend
    }

    fn over_cpu(config: &DeviceConfig) -> Self {
        let limits = CpuBackend::new().limits().chosen(config.limits);
        let info = AdapterInfo { limits: Some(limits.into()), not_taken: None, ..AdapterInfo::cpu() };
        Self::over(Arc::new(CpuBackend::with_limits(limits)), GpuBackend::Cpu, info)
    }

    pub(crate) fn over(backend: Arc<dyn Backend>, kind: GpuBackend, info: AdapterInfo) -> Self {
        let inner = Inner {
            backend,
            #[cfg(feature = "wgpu")]
            wgpu: None,
            kind,
            info,
        };
        Self { inner: Arc::new(inner) }
    }

    #[cfg(feature = "wgpu")]
    fn over_wgpu(backend: crate::backend::wgpu::WgpuBackend, info: AdapterInfo) -> Self {
        let backend = Arc::new(backend);
        let raw: Arc<dyn Backend> = Arc::clone(&backend) as _;
        Self { inner: Arc::new(Inner { backend: raw, wgpu: Some(backend), kind: GpuBackend::Wgpu, info }) }
    }
}

/// The same device, not one like it.
impl PartialEq for Device {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }
}

impl Eq for Device {}

/// Name, interface and kind: `` `NVIDIA H200` (Vulkan, discrete)``.
impl fmt::Display for Device {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.info.fmt(formatter)
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Device").field("backend", &self.inner.kind).field("adapter", &self.inner.info).finish()
    }
}
