//! How much memory an adapter has. wgpu does not say; Vulkan does.

/// Bytes of the adapter's own memory.
#[cfg(any(target_os = "linux", target_os = "windows", target_os = "android", target_os = "freebsd"))]
#[expect(unsafe_code, reason = "Vulkan is a C interface, and wgpu hands it out unchecked")]
pub(super) fn memory_of(adapter: &wgpu::Adapter) -> Option<u64> {
    // SAFETY: the Vulkan adapter is only looked at, while `adapter` keeps it alive, and nothing of it is kept; the
    // physical device was enumerated from the instance that is asked about it.
    let properties = unsafe {
        let vulkan = adapter.as_hal::<wgpu::hal::api::Vulkan>()?;
        let instance = vulkan.shared_instance().raw_instance();
        instance.get_physical_device_memory_properties(vulkan.raw_physical_device())
    };
    let heaps = properties.memory_heaps.iter().take(properties.memory_heap_count as usize);
    // VK_MEMORY_HEAP_DEVICE_LOCAL_BIT
    heaps.filter(|heap| heap.flags.as_raw() & 1 != 0).map(|heap| heap.size).max()
}

/// Elsewhere it is not known.
#[cfg(not(any(target_os = "linux", target_os = "windows", target_os = "android", target_os = "freebsd")))]
pub(super) fn memory_of(_adapter: &wgpu::Adapter) -> Option<u64> {
    None
}
