//! WGSL sources run on a device of wgpu, software ones included.

use optimizer_specs::emit::wgsl;
use optimizer_specs::ir::Kernel;
use optimizer_specs::layout;
use optirs_gpu::DeviceConfig;

use super::arena::{Arena, Buffers};
use crate::compiled::Case;
use crate::devices::{self, found};

/// A Vulkan device.
#[derive(Debug)]
pub struct Gpu {
    device: wgpu::Device,
    queue: wgpu::Queue,
    name: String,
    is_software: bool,
}

/// A program, ready to run: the pipelines of its kernels.
#[derive(Debug)]
pub struct Compiled(Vec<wgpu::ComputePipeline>);

impl Gpu {
    /// The device that [`devices::gpu`] chooses, and where it has none, as there.
    pub fn open() -> Option<Self> {
        found(Self::named(devices::gpu(DeviceConfig::default())?.name()))
    }

    /// The first Vulkan device whose name holds this, in any case.
    ///
    /// # Errors
    /// That there is none, with the names of those that there are.
    pub fn named(asked: &str) -> Result<Self, String> {
        let backends = wgpu::Backends::VULKAN;
        let descriptor =
            wgpu::InstanceDescriptor { backends, ..wgpu::InstanceDescriptor::new_without_display_handle() };
        let adapters = pollster::block_on(wgpu::Instance::new(descriptor).enumerate_adapters(backends));
        let names: Vec<_> = adapters.iter().map(|adapter| adapter.get_info().name).collect();
        let chosen = names.iter().position(|name| name.to_lowercase().contains(&asked.to_lowercase()));
        let Some(adapter) = chosen.map(|place| &adapters[place]) else {
            return Err(format!("no Vulkan device `{asked}` among {names:?}"));
        };
        let opened = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor::default()));
        let (device, queue) = opened.map_err(|error| error.to_string())?;
        let wgpu::AdapterInfo { name, driver, driver_info, device_type, .. } = adapter.get_info();
        let name = format!("{name}, {driver} {driver_info}");
        Ok(Self { device, queue, name, is_software: device_type == wgpu::DeviceType::Cpu })
    }

    /// The device's name, and its driver with its version.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it is a mere program.
    pub fn is_software(&self) -> bool {
        self.is_software
    }

    /// Compiles a program.
    ///
    /// # Errors
    /// What wgpu says of its source.
    pub fn compile(&self, case: Case<'_>) -> Result<Compiled, String> {
        let source = wgsl::program(case.rule, case.variant, case.program);
        self.checked(|| {
            let module = self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: None,
                source: wgpu::ShaderSource::Wgsl(source.into()),
            });
            Compiled(case.program.kernels.iter().map(|kernel| self.pipeline(&module, kernel)).collect())
        })
    }

    /// Runs all kernels of a program.
    ///
    /// # Errors
    /// What wgpu says of the launch.
    pub fn run(
        &self,
        compiled: &Compiled,
        case: Case<'_>,
        arena: &Arena<'_>,
        buffers: &Buffers,
    ) -> Result<Buffers, String> {
        self.checked(|| {
            let held = buffers.each_ref().map(|words| self.buffer(words));
            let mut encoder = self.device.create_command_encoder(&Default::default());
            for (kernel, pipeline) in case.program.kernels.iter().zip(&compiled.0) {
                let bindings = layout::bindings(kernel);
                let entries = bindings.iter().map(|binding| wgpu::BindGroupEntry {
                    binding: binding.role.index(),
                    resource: held[binding.role.index() as usize].as_entire_binding(),
                });
                let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
                    label: None,
                    layout: &pipeline.get_bind_group_layout(0),
                    entries: &entries.collect::<Vec<_>>(),
                });
                let mut pass = encoder.begin_compute_pass(&Default::default());
                pass.set_pipeline(pipeline);
                pass.set_bind_group(0, &group, &[]);
                // A grid three wide: its last line is not full.
                let groups = arena.workgroups_of(kernel.kind);
                pass.dispatch_workgroups(groups.min(3), groups.div_ceil(3), 1);
            }
            self.queue.submit([encoder.finish()]);
            let mut read = held.each_ref().map(|buffer| self.read(buffer));
            read.iter_mut().zip(buffers).for_each(|(words, role)| words.truncate(role.len()));
            read
        })
    }

    fn checked<T>(&self, work: impl FnOnce() -> T) -> Result<T, String> {
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let done = work();
        pollster::block_on(scope.pop()).map_or(Ok(done), |error| Err(error.to_string()))
    }

    fn pipeline(&self, module: &wgpu::ShaderModule, kernel: &Kernel) -> wgpu::ComputePipeline {
        self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(&kernel.name),
            layout: None,
            module,
            entry_point: Some(&kernel.name),
            compilation_options: wgpu::PipelineCompilationOptions {
                zero_initialize_workgroup_memory: false,
                ..Default::default()
            },
            cache: None,
        })
    }

    fn buffer(&self, words: &[u32]) -> wgpu::Buffer {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        let size = (bytes.len() as u64).max(16);
        let descriptor = wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
        let buffer = self.device.create_buffer(&descriptor);
        self.queue.write_buffer(&buffer, 0, &bytes);
        buffer
    }

    fn read(&self, buffer: &wgpu::Buffer) -> Vec<u32> {
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let descriptor = wgpu::BufferDescriptor { label: None, size: buffer.size(), usage, mapped_at_creation: false };
        let staging = self.device.create_buffer(&descriptor);
        let mut encoder = self.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, buffer.size());
        self.queue.submit([encoder.finish()]);
        staging.map_async(wgpu::MapMode::Read, .., |result| result.unwrap());
        self.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
        let bytes = staging.get_mapped_range(..).unwrap();
        let words = bytes.chunks_exact(4).map(|bytes| u32::from_le_bytes(bytes.try_into().unwrap()));
        words.collect()
    }
}
