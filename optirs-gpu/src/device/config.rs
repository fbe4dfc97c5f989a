//! How a device is chosen and opened.

use std::time::Duration;

use scirs2_core::gpu::GpuBackend;

use crate::GpuOptimError;
use crate::backend::Limits;

/// How to choose and open a [`Device`](crate::Device). The default takes the best GPU there is.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceConfig {
    /// Which back end: `Wgpu` (Vulkan, Metal, DX12), `Metal` (through scirs2-core, on macOS), `Cpu`. None: `Wgpu`, or
    /// `Metal` in a build without it. A GPU is never silently replaced by the CPU.
    pub backend: Option<GpuBackend>,
    /// A part of the adapter's name, in any case: `"h200"`, `"llvmpipe"`. None: the environment variable
    /// `OPTIRS_ADAPTER`, if it is set and not empty. Naming a software adapter asks for it.
    pub adapter: Option<String>,
    /// Whether a software adapter (llvmpipe, SwiftShader, WARP) will do where there is no other.
    pub allow_software: bool,
    /// Which limits the device is opened with.
    pub limits: LimitsChoice,
    /// The longest that a call waits for the device before it gives up with
    /// [`GpuOptimError::Timeout`](crate::GpuOptimError::Timeout).
    pub timeout: Duration,
    /// How many steps may be submitted and not finished; at least 1. A step beyond waits for the oldest.
    pub steps_in_flight: usize,
}

impl Default for DeviceConfig {
    fn default() -> Self {
        Self {
            backend: None,
            adapter: None,
            allow_software: false,
            limits: LimitsChoice::Adapter,
            timeout: Duration::from_secs(60),
            steps_in_flight: 4,
        }
    }
}

impl DeviceConfig {
    /// The environment variable that names an adapter.
    pub const ADAPTER_VARIABLE: &'static str = "OPTIRS_ADAPTER";

    /// The configuration with `OPTIRS_ADAPTER` taken in, where the caller named no adapter.
    pub(crate) fn resolved(&self) -> Self {
        let named = self.adapter.clone().or_else(|| std::env::var(Self::ADAPTER_VARIABLE).ok());
        Self { adapter: named.filter(|name| !name.is_empty()), ..self.clone() }
    }

    /// The back end to open; those that this build does not have are refused, saying what to use instead.
    pub(crate) fn backend(&self) -> Result<GpuBackend, GpuOptimError> {
        let gpu = if cfg!(feature = "wgpu") { GpuBackend::Wgpu } else { GpuBackend::Metal };
        let chosen = self.backend.unwrap_or(gpu);
        let reason = match chosen {
            GpuBackend::Cpu => return Ok(chosen),
            GpuBackend::Wgpu if cfg!(feature = "wgpu") => return Ok(chosen),
            GpuBackend::Metal if cfg!(all(feature = "metal", target_os = "macos")) => return Ok(chosen),
            GpuBackend::Wgpu => "this build has no wgpu back end: enable the feature `wgpu`",
            GpuBackend::Metal if self.backend.is_none() => {
                "this build has no GPU back end: enable the feature `wgpu`, or choose `Device::cpu()`"
            }
            GpuBackend::Metal => {
                "Metal through scirs2-core needs macOS and the feature `metal`; the back end `Wgpu` uses Metal on \
                 macOS, too"
            }
            GpuBackend::Cuda => {
                "there is no CUDA back end (the feature `cuda` is reserved): use `Wgpu`, which runs on NVIDIA GPUs \
                 through Vulkan"
            }
            GpuBackend::OpenCL => "there is no OpenCL back end (the feature `opencl` is reserved): use `Wgpu`",
            GpuBackend::Rocm => "there is no ROCm back end: use `Wgpu`, which runs on AMD GPUs through Vulkan",
        };
        Err(GpuOptimError::UnsupportedOperation(reason.to_owned()))
    }
}

impl DeviceConfig {
    /// Refuses limits within which nothing can be done.
    pub(super) fn check_limits(&self) -> Result<(), GpuOptimError> {
        let LimitsChoice::AtMost(most) = self.limits else { return Ok(()) };
        let DeviceLimits { buffer_bytes, binding_bytes, alignment_bytes, grid_width } = most;
        let least = [("buffer_bytes", buffer_bytes), ("binding_bytes", binding_bytes)];
        for (field, value) in least {
            if value < 1024 {
                return Err(GpuOptimError::OutOfRange { field, value: value as f64, range: "1024.." });
            }
        }
        if grid_width == 0 {
            return Err(GpuOptimError::OutOfRange { field: "grid_width", value: 0.0, range: "1.." });
        }
        if alignment_bytes > buffer_bytes.min(binding_bytes) {
            let (field, value) = ("alignment_bytes", alignment_bytes as f64);
            return Err(GpuOptimError::OutOfRange { field, value, range: "..=binding_bytes" });
        }
        Ok(())
    }
}

/// Which limits a device is opened with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitsChoice {
    /// All that the adapter has.
    Adapter,
    /// What every WebGPU device has: buffers of 256 MiB, bindings of 128 MiB on multiples of 256 bytes.
    WebGpu,
    /// At most these, so that the handling of large parameters can be tried with small ones.
    AtMost(DeviceLimits),
}

/// What a device can do in one piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceLimits {
    /// Bytes of the largest buffer.
    pub buffer_bytes: u64,
    /// Bytes of the largest part of a buffer that a kernel can be given.
    pub binding_bytes: u64,
    /// Parts of buffers start on a multiple of this many bytes.
    pub alignment_bytes: u64,
    /// Most workgroups along one dimension of a dispatch.
    pub grid_width: u32,
}

impl DeviceLimits {
    /// What every WebGPU device has.
    pub const WEBGPU: Self =
        Self { buffer_bytes: 256 << 20, binding_bytes: 128 << 20, alignment_bytes: 256, grid_width: 65_535 };
}

impl Limits {
    /// These limits, as far as a configuration wants them.
    pub(crate) fn chosen(self, choice: LimitsChoice) -> Self {
        match choice {
            LimitsChoice::Adapter => self,
            LimitsChoice::WebGpu => self.at_most(DeviceLimits::WEBGPU),
            LimitsChoice::AtMost(most) => self.at_most(most),
        }
    }

    /// These limits, lowered to `most`.
    fn at_most(self, most: DeviceLimits) -> Self {
        let buffer_words = self.buffer_words.min(most.buffer_bytes / 4);
        Self {
            buffer_words,
            binding_words: self.binding_words.min(most.binding_bytes / 4).min(buffer_words),
            alignment_words: self.alignment_words.max(most.alignment_bytes.div_ceil(4)),
            grid_width: self.grid_width.min(most.grid_width),
        }
    }
}

impl From<Limits> for DeviceLimits {
    fn from(limits: Limits) -> Self {
        Self {
            buffer_bytes: limits.buffer_words.saturating_mul(4),
            binding_bytes: limits.binding_words.saturating_mul(4),
            alignment_bytes: limits.alignment_words.saturating_mul(4),
            grid_width: limits.grid_width,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_back_ends_say_what_to_use_instead() {
        for (backend, advice) in [
            (GpuBackend::Cuda, "use `Wgpu`, which runs on NVIDIA GPUs through Vulkan"),
            (GpuBackend::OpenCL, "use `Wgpu`"),
            (GpuBackend::Rocm, "use `Wgpu`, which runs on AMD GPUs through Vulkan"),
        ] {
            let config = DeviceConfig { backend: Some(backend), ..DeviceConfig::default() };
            let error = config.backend().unwrap_err();
            assert!(matches!(error, GpuOptimError::UnsupportedOperation(_)));
            assert!(error.to_string().ends_with(advice), "{error}");
        }
    }

    #[test]
    fn limits_can_be_lowered_and_not_raised() {
        let own = Limits { buffer_words: 1000, binding_words: 800, alignment_words: 64, grid_width: 10 };
        let most = DeviceLimits { buffer_bytes: 2000, binding_bytes: 1 << 40, alignment_bytes: 512, grid_width: 3 };
        let lowered = Limits { buffer_words: 500, binding_words: 500, alignment_words: 128, grid_width: 3 };
        assert_eq!(own.chosen(LimitsChoice::AtMost(most)), lowered);
        let more = DeviceLimits { buffer_bytes: 1 << 40, binding_bytes: 1 << 40, alignment_bytes: 4, grid_width: 99 };
        assert_eq!(own.chosen(LimitsChoice::AtMost(more)), own);
    }

    #[test]
    fn a_name_in_the_configuration_is_kept_and_an_empty_one_is_none() {
        let named = DeviceConfig { adapter: Some("llvmpipe".to_owned()), ..DeviceConfig::default() };
        assert_eq!(named.resolved().adapter.as_deref(), Some("llvmpipe"));
        let empty = DeviceConfig { adapter: Some(String::new()), ..DeviceConfig::default() };
        assert_eq!(empty.resolved().adapter, None);
    }
}
