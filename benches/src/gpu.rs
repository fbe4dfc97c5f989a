//! The GPU that is measured: the one that the library would take, opened with timestamps where it has them.

use optirs_gpu::{Device, DeviceConfig, wgpu};

use crate::Failure;

/// Ends and starts of work on the device, as it sees them itself.
const TIMESTAMPS: wgpu::Features =
    wgpu::Features::TIMESTAMP_QUERY.union(wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS);

/// An open GPU.
pub struct Gpu {
    /// As the library has it.
    pub device: Device,
    /// As wgpu has it.
    pub wgpu: wgpu::Device,
    /// Its queue.
    pub queue: wgpu::Queue,
    /// Its name, as rows have it.
    pub name: String,
    /// The driver's name and version.
    pub driver: String,
    /// Bytes of its own memory, where they are known.
    pub memory: Option<u64>,
    /// Whether it says when work starts and ends.
    pub has_timestamps: bool,
}

impl Gpu {
    /// Opens the best GPU, or the one of this name, with all limits that it allows.
    ///
    /// # Errors
    /// As [`Device::with_config`], and what the driver says.
    pub fn open(adapter: Option<String>) -> Result<Gpu, Failure> {
        Self::open_within(adapter, None)
    }

    /// As [`Gpu::open`], with buffers of at most so many bytes.
    ///
    /// # Errors
    /// As [`Gpu::open`].
    pub fn open_within(adapter: Option<String>, buffer_bytes: Option<u64>) -> Result<Gpu, Failure> {
        let chosen = Device::with_config(DeviceConfig { adapter, ..DeviceConfig::default() })?;
        let adapter = chosen.adapter();
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
            backends: wgpu::Backends::PRIMARY,
            flags: wgpu::InstanceFlags::empty(),
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        });
        let found = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::PRIMARY));
        let same = |found: &wgpu::Adapter| {
            let info = found.get_info();
            info.name == adapter.name && info.backend.to_string().eq_ignore_ascii_case(adapter.interface)
        };
        let raw = found.into_iter().find(same).ok_or_else(|| format!("{chosen} is gone"))?;
        let has_timestamps = raw.features().contains(TIMESTAMPS);
        let all = raw.limits();
        let most = |limit: u64| buffer_bytes.map_or(limit, |bytes| bytes.min(limit));
        let limits = wgpu::Limits {
            max_buffer_size: most(all.max_buffer_size),
            max_storage_buffer_binding_size: most(all.max_storage_buffer_binding_size),
            ..all
        };
        let (wgpu, queue) = pollster::block_on(raw.request_device(&wgpu::DeviceDescriptor {
            label: Some("measured"),
            required_features: if has_timestamps { TIMESTAMPS } else { wgpu::Features::empty() },
            required_limits: limits,
            ..Default::default()
        }))?;
        Ok(Gpu {
            device: Device::from_wgpu(wgpu.clone(), queue.clone())?,
            wgpu,
            queue,
            name: adapter.name.clone(),
            driver: adapter.driver.clone(),
            memory: adapter.memory,
            has_timestamps,
        })
    }

    /// Waits for all that was submitted.
    ///
    /// # Errors
    /// As wgpu's `poll`.
    pub fn wait(&self) -> Result<(), wgpu::PollError> {
        self.wgpu.poll(wgpu::PollType::wait_indefinitely()).map(drop)
    }

    /// The number at a byte of a buffer.
    ///
    /// # Errors
    /// As [`Gpu::read`].
    pub fn value(&self, buffer: &wgpu::Buffer, start: u64) -> Result<f32, Failure> {
        let bytes = self.read(buffer, start, 4)?;
        let value = bytes.first_chunk().map(|bytes| f32::from_le_bytes(*bytes));
        value.ok_or_else(|| "the device handed out too little".into())
    }

    /// The bytes of a part of a buffer.
    ///
    /// # Errors
    /// Where the device does not hand them out.
    pub fn read(&self, buffer: &wgpu::Buffer, start: u64, bytes: u64) -> Result<Vec<u8>, Failure> {
        let copy = self.wgpu.create_buffer(&wgpu::BufferDescriptor {
            label: Some("read back"),
            size: bytes,
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        let mut encoder = self.wgpu.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(buffer, start, &copy, 0, bytes);
        self.queue.submit([encoder.finish()]);
        let (sender, receiver) = std::sync::mpsc::channel();
        copy.map_async(wgpu::MapMode::Read, .., move |mapped| drop(sender.send(mapped)));
        self.wait()?;
        receiver.recv()??;
        Ok(copy.get_mapped_range(..)?.to_vec())
    }
}
