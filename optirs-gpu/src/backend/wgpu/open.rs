//! Finding adapters and opening a device on one.

use std::sync::{OnceLock, PoisonError, RwLock};

use super::memory::memory_of;
use super::{WgpuBackend, kept};
use crate::GpuOptimError;
use crate::backend::Limits;
use crate::device::{AdapterInfo, AdapterKind, DeviceConfig, LimitsChoice, choose, none_taken};
use crate::rule::records::WORKGROUP_SIZE;

/// What a rule without extra inputs binds, plus one: what WebGPU promises.
const STORAGE_BUFFERS: u32 = 8;

/// Vulkan, Metal and DX12. Never OpenGL: it binds too few storage buffers, and not at an offset.
const INTERFACES: wgpu::Backends = wgpu::Backends::VULKAN.union(wgpu::Backends::METAL).union(wgpu::Backends::DX12);

/// Held for writing while adapters are asked for and a device is made, and for reading while pipelines are. NVIDIA's driver
/// can crash where one thread does the one and another the other (gfx-rs/wgpu#10234). On an H200 it may have been that
/// what ended two of 37 processes that did both on 16 threads, and none of 16 with this lock.
pub(super) static MAKING: RwLock<()> = RwLock::new(());

/// All adapters, each with the reason why `config` does not take it.
pub(crate) fn adapters(config: &DeviceConfig) -> Vec<AdapterInfo> {
    let _making = MAKING.write().unwrap_or_else(PoisonError::into_inner);
    let mut infos: Vec<_> = enumerate().iter().map(|adapter| info(adapter, config)).collect();
    choose(&mut infos, config);
    infos
}

/// Opens the adapter that `config` chooses.
pub(crate) fn open(config: &DeviceConfig) -> Result<(WgpuBackend, AdapterInfo), GpuOptimError> {
    // wgpu makes the device at once, when it is asked, and the future is ready.
    let making = MAKING.write().unwrap_or_else(PoisonError::into_inner);
    let adapters = enumerate();
    let mut infos: Vec<_> = adapters.iter().map(|adapter| info(adapter, config)).collect();
    let chosen = choose(&mut infos, config).and_then(|index| adapters.get(index).zip(infos.get(index)));
    let Some((adapter, info)) = chosen else { return Err(none_taken(&infos, config)) };
    let limits = required(adapter.limits(), config.limits);
    let over = |device: &_, queue: &_| WgpuBackend::new(device, queue, true, config.steps_in_flight, config.timeout);
    while let Some((device, queue)) = kept::take(&adapter.get_info(), &limits) {
        match over(&device, &queue) {
            Err(GpuOptimError::DeviceLost(_)) => kept::abandon(&device, &queue),
            opened => return Ok((opened?, info.clone())),
        }
    }
    let requested = adapter.request_device(&wgpu::DeviceDescriptor {
        label: Some("optirs"),
        required_limits: limits,
        ..Default::default()
    });
    let (device, queue) = pollster::block_on(requested)
        .map_err(|error| GpuOptimError::Device(format!("{info} was chosen and could not be opened: {error}")))?;
    drop(making);
    Ok((over(&device, &queue)?, info.clone()))
}

/// A device that somebody else opened, as an adapter.
pub(crate) fn foreign(device: &wgpu::Device) -> AdapterInfo {
    describe(&device.adapter_info(), &device.limits())
}

/// Fails on a device that cannot run the kernels.
pub(super) fn check_device(device: &wgpu::Device) -> Result<(), GpuOptimError> {
    match unusable(&device.adapter_info(), &device.limits()) {
        None => Ok(()),
        Some(reason) => Err(GpuOptimError::UnsupportedOperation(format!("this device cannot be used: {reason}"))),
    }
}

/// What the planner must respect on a device with these limits.
pub(super) fn limits(limits: &wgpu::Limits) -> Limits {
    Limits {
        buffer_words: limits.max_buffer_size / 4,
        // Bindings are sized in whole vectors of four.
        binding_words: limits.max_storage_buffer_binding_size.min(limits.max_buffer_size) / 16 * 4,
        alignment_words: u64::from(limits.min_storage_buffer_offset_alignment).div_ceil(4).max(4),
        grid_width: limits.max_compute_workgroups_per_dimension,
    }
}

/// The instance enumerates in the order of its interfaces, so the list is the same from one call to the next. It is one for
/// the process, because drivers have crashed where several threads made or dropped instances at once
/// (gfx-rs/wgpu#5930).
fn enumerate() -> Vec<wgpu::Adapter> {
    static INSTANCE: OnceLock<wgpu::Instance> = OnceLock::new();
    let present = INTERFACES.intersection(wgpu::Instance::enabled_backend_features());
    if present.is_empty() {
        return Vec::new();
    }
    let instance = INSTANCE.get_or_init(|| {
        wgpu::Instance::new(wgpu::InstanceDescriptor {
            backends: present,
            // Validation layers of the system only when WGPU_VALIDATION asks for them: wgpu validates all calls itself.
            flags: wgpu::InstanceFlags::empty().with_env(),
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        })
    });
    pollster::block_on(instance.enumerate_adapters(present))
}

/// An adapter, with the reason if it cannot run the kernels at all.
fn info(adapter: &wgpu::Adapter, config: &DeviceConfig) -> AdapterInfo {
    let required = required(adapter.limits(), config.limits);
    let raw = adapter.get_info();
    AdapterInfo {
        memory: memory_of(adapter),
        not_taken: unusable(&raw, &adapter.limits()),
        ..describe(&raw, &required)
    }
}

fn describe(info: &wgpu::AdapterInfo, of: &wgpu::Limits) -> AdapterInfo {
    AdapterInfo {
        name: info.name.clone(),
        interface: match info.backend {
            wgpu::Backend::Vulkan => "Vulkan",
            wgpu::Backend::Metal => "Metal",
            wgpu::Backend::Dx12 => "DX12",
            wgpu::Backend::Gl => "OpenGL",
            wgpu::Backend::BrowserWebGpu => "WebGPU",
            wgpu::Backend::Noop => "no-op",
        },
        kind: match info.device_type {
            wgpu::DeviceType::DiscreteGpu => AdapterKind::Discrete,
            wgpu::DeviceType::IntegratedGpu => AdapterKind::Integrated,
            wgpu::DeviceType::VirtualGpu => AdapterKind::Virtual,
            wgpu::DeviceType::Other => AdapterKind::Other,
            wgpu::DeviceType::Cpu => AdapterKind::Software,
        },
        driver: [info.driver.as_str(), info.driver_info.as_str()].join(" ").trim().to_owned(),
        memory: None,
        limits: Some(limits(of).into()),
        not_taken: None,
    }
}

fn unusable(info: &wgpu::AdapterInfo, limits: &wgpu::Limits) -> Option<String> {
    let needed = [
        ("storage buffers in a shader", limits.max_storage_buffers_per_shader_stage, STORAGE_BUFFERS),
        ("threads in a workgroup", limits.max_compute_invocations_per_workgroup, WORKGROUP_SIZE as u32),
        ("threads along a workgroup's x", limits.max_compute_workgroup_size_x, WORKGROUP_SIZE as u32),
        ("bytes of workgroup memory", limits.max_compute_workgroup_storage_size, 16 << 10),
    ];
    if matches!(info.backend, wgpu::Backend::Gl | wgpu::Backend::Noop) {
        return Some(format!("{:?} is not supported: Vulkan, Metal and DX12 are", info.backend));
    }
    let short = needed.iter().find(|(_, has, needs)| has < needs)?;
    Some(format!("it allows {} {}, the kernels need {}", short.1, short.0, short.2))
}

/// The limits to open an adapter with.
fn required(adapter: wgpu::Limits, choice: LimitsChoice) -> wgpu::Limits {
    match choice {
        LimitsChoice::Adapter => adapter,
        LimitsChoice::WebGpu => wgpu::Limits::default(),
        LimitsChoice::AtMost(most) => wgpu::Limits {
            max_buffer_size: adapter.max_buffer_size.min(most.buffer_bytes),
            max_storage_buffer_binding_size: adapter.max_storage_buffer_binding_size.min(most.binding_bytes),
            min_storage_buffer_offset_alignment: adapter
                .min_storage_buffer_offset_alignment
                .max(most.alignment_bytes.try_into().unwrap_or(u32::MAX)),
            max_compute_workgroups_per_dimension: adapter.max_compute_workgroups_per_dimension.min(most.grid_width),
            ..adapter
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DeviceLimits;

    #[test]
    fn the_webgpu_defaults_in_words() {
        let expected =
            Limits { buffer_words: 64 << 20, binding_words: 32 << 20, alignment_words: 64, grid_width: 65_535 };
        assert_eq!(limits(&required(wgpu::Limits::default(), LimitsChoice::WebGpu)), expected);
    }

    #[test]
    fn limits_can_be_lowered_and_not_raised() {
        let most = DeviceLimits { buffer_bytes: 4096, binding_bytes: 1 << 40, alignment_bytes: 512, grid_width: 3 };
        let expected = Limits { buffer_words: 1024, binding_words: 1024, alignment_words: 128, grid_width: 3 };
        assert_eq!(limits(&required(wgpu::Limits::default(), LimitsChoice::AtMost(most))), expected);
    }

    #[test]
    fn an_adapter_that_binds_too_little_is_named_with_both_numbers() {
        let device = wgpu::DeviceType::DiscreteGpu;
        let info = wgpu::AdapterInfo::new(device, wgpu::Backend::Vulkan);
        let few = wgpu::Limits { max_storage_buffers_per_shader_stage: 4, ..wgpu::Limits::default() };
        let reason = unusable(&info, &few).unwrap();
        assert_eq!(reason, "it allows 4 storage buffers in a shader, the kernels need 8");
        assert_eq!(unusable(&info, &wgpu::Limits::default()), None);
        let info = wgpu::AdapterInfo::new(device, wgpu::Backend::Gl);
        assert_eq!(
            unusable(&info, &wgpu::Limits::default()).unwrap(),
            "Gl is not supported: Vulkan, Metal and DX12 are"
        );
    }
}
