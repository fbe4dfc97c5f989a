//! Devices of the driver whose calls can fail.

use std::ffi::c_void;
use std::sync::OnceLock;
use std::sync::atomic::Ordering;

use ash::vk;
use optirs_gpu::{Device, DeviceConfig};
use optirs_gpu_tests::devices;

use crate::calls;

/// A fresh device; none where the machine has no Vulkan driver.
pub fn open() -> Option<Device> {
    static ADAPTER: OnceLock<Option<wgpu::Adapter>> = OnceLock::new();
    let adapter = ADAPTER.get_or_init(adapter).as_ref()?;
    let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor::default())).unwrap();
    Some(Device::from_wgpu(device, queue).unwrap())
}

/// The adapter that the other tests use, through functions of ours.
fn adapter() -> Option<wgpu::Adapter> {
    let name = devices::gpu(DeviceConfig::default())?.name().to_owned();
    // SAFETY: the library of the system's Vulkan loader is loaded, which runs no code of ours.
    let loader = unsafe { ash::Entry::load() }.unwrap();
    calls::LOADER.store(loader.static_fn().get_instance_proc_addr as *mut c_void, Ordering::Release);
    // The library stays loaded for as long as its functions are used.
    std::mem::forget(loader);
    // SAFETY: the function is the loader's but for functions of the same names and types.
    let entry = unsafe { ash::Entry::from_static_fn(ash::StaticFn { get_instance_proc_addr: calls::of_instance }) };
    let version = vk::API_VERSION_1_3;
    let application = vk::ApplicationInfo::default().api_version(version);
    let extensions = vec![ash::khr::get_physical_device_properties2::NAME];
    let names: Vec<_> = extensions.iter().map(|name| name.as_ptr()).collect();
    let info = vk::InstanceCreateInfo::default().application_info(&application).enabled_extension_names(&names);
    // SAFETY: what the information points to outlives the call.
    let raw = unsafe { entry.create_instance(&info, None) }.unwrap();
    // SAFETY: the instance is of this entry and version, has these extensions and no others, and is handed over.
    let instance = unsafe {
        let instance = wgpu::hal::vulkan::Instance::from_raw(
            entry,
            raw,
            version,
            0,
            None,
            extensions,
            wgpu::InstanceFlags::empty(),
            wgpu::MemoryBudgetThresholds::default(),
            false,
            None,
        );
        wgpu::Instance::from_hal::<wgpu::hal::api::Vulkan>(instance.unwrap())
    };
    let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN));
    Some(adapters.into_iter().find(|adapter| adapter.get_info().name == name).unwrap())
}
