//! Pipelines: compiled once per program and device, and shared by all optimizers on it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::bind::storage;
use super::health::Health;
use super::loops;
use super::open::MAKING;
use crate::GpuOptimError;
use crate::rule::{Kernel, Program, Role};

/// Roles that a dispatch must bind as `read_write` although its kernel only reads them, by binding index. wgpu refuses a
/// buffer that one dispatch both reads and writes, wherever in it; declared `read_write` throughout, it is accepted.
/// Parameters and gradients in one buffer (burn keeps them so) need this.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Shared(u32);

impl Shared {
    /// With this role.
    pub fn insert(&mut self, role: Role) {
        self.0 |= 1 << role.index().min(31);
    }

    fn contains(self, role: Role) -> bool {
        self.0 & (1 << role.index().min(31)) != 0
    }
}

/// A program, ready to be dispatched.
#[derive(Debug)]
pub(super) struct Compiled {
    /// In the program's order.
    pub kernels: Vec<CompiledKernel>,
}

/// A kernel, ready to be dispatched.
#[derive(Debug)]
pub(super) struct CompiledKernel {
    /// Its identity in bind groups.
    pub id: u64,
    pub pipeline: wgpu::ComputePipeline,
    pub layout: wgpu::BindGroupLayout,
}

/// The compiled programs of one device.
#[derive(Debug, Default)]
pub(super) struct Programs {
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    /// By the program's address: it lives as long as the process.
    compiled: HashMap<(usize, Shared), Arc<Compiled>>,
    kernels: u64,
}

impl Programs {
    /// The compiled program. The lock is held meanwhile, so that nothing is compiled twice.
    pub fn get(
        &self,
        device: &wgpu::Device,
        health: &Health,
        program: &'static Program,
        shared: Shared,
    ) -> Result<Arc<Compiled>, GpuOptimError> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (core::ptr::from_ref(program) as usize, shared);
        if let Some(compiled) = known.compiled.get(&key) {
            return Ok(Arc::clone(compiled));
        }
        let most = device.limits().max_storage_buffers_per_shader_stage;
        for kernel in program.kernels {
            let needed = kernel.bindings.len() as u64;
            if needed > u64::from(most) {
                let what = format!("kernel `{}`", kernel.name);
                return Err(GpuOptimError::LimitExceeded { what, needed, limit: most.into(), unit: "storage buffers" });
            }
        }
        let _making = MAKING.read().unwrap_or_else(PoisonError::into_inner);
        let compiled = compile(device, health, program, shared, known.kernels).map_err(|error| match error {
            GpuOptimError::Device(text) => {
                GpuOptimError::Device(format!("program `{}` does not compile: {text}", program.name))
            }
            other => other,
        })?;
        known.kernels += program.kernels.len() as u64;
        let compiled = Arc::new(compiled);
        known.compiled.insert(key, Arc::clone(&compiled));
        Ok(compiled)
    }
}

/// Compiles all kernels of a program at once: what the driver takes for one is most of the time until a first step.
///
/// The module is created with wgpu's checks of indices: they come from tables that we fill, but starts and lengths of
/// foreign buffers come from callers.
fn compile(
    device: &wgpu::Device,
    health: &Health,
    program: &Program,
    shared: Shared,
    before: u64,
) -> Result<Compiled, GpuOptimError> {
    let module = &health.scoped(|| module(device, program.name, source(program, shared)))?;
    // Each with a scope of its own: errors go to scopes of the thread that makes them.
    let compile = |(id, kernel): (u64, &'static Kernel)| {
        move || health.scoped(|| compile_kernel(device, module, id, kernel, shared))
    };
    let mut kernels = (before + 1..).zip(program.kernels).map(compile);
    let own = kernels.next();
    let compiled: Result<Vec<CompiledKernel>, GpuOptimError> = thread::scope(|scope| {
        let others: Vec<_> = kernels
            .map(|kernel| {
                // Where there is no thread to be had, this one does it.
                thread::Builder::new().spawn_scoped(scope, kernel).map_err(|_| kernel)
            })
            .collect();
        let own = own.map(|kernel| kernel());
        // Joined one by one, so that the threads are gone, and not just done, when devices may be closed again.
        let others = others.into_iter().map(|other| match other {
            Ok(running) => running.join().unwrap_or_else(|_| Err(GpuOptimError::Device("it panicked".to_owned()))),
            Err(kernel) => kernel(),
        });
        own.into_iter().chain(others).collect()
    });
    Ok(Compiled { kernels: compiled? })
}

/// wgpu counts the rounds of every loop, lest one go on for ever, which costs a reduction three percent of its time: where
/// all loops are known to end it need not.
fn module(device: &wgpu::Device, name: &str, text: Cow<'static, str>) -> wgpu::ShaderModule {
    let checks = wgpu::ShaderRuntimeChecks { force_loop_bounding: !loops::all_end(&text), ..Default::default() };
    let descriptor = wgpu::ShaderModuleDescriptor { label: Some(name), source: wgpu::ShaderSource::Wgsl(text) };
    // SAFETY: every check is on but that of loops, and that is off only for a text whose loops all end.
    #[expect(unsafe_code, reason = "wgpu takes the caller's word that loops end")]
    unsafe {
        device.create_shader_module_trusted(descriptor, checks)
    }
}

fn compile_kernel(
    device: &wgpu::Device,
    module: &wgpu::ShaderModule,
    id: u64,
    kernel: &Kernel,
    shared: Shared,
) -> CompiledKernel {
    let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some(kernel.name),
        entries: &entries(kernel, shared),
    });
    let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some(kernel.name),
        bind_group_layouts: &[Some(&layout)],
        immediate_size: 0,
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(kernel.name),
        layout: Some(&pipeline_layout),
        module,
        entry_point: Some(kernel.name),
        // Workgroup memory is written before it is read: clearing it first would be time lost.
        compilation_options: wgpu::PipelineCompilationOptions {
            zero_initialize_workgroup_memory: false,
            ..Default::default()
        },
        cache: None,
    });
    CompiledKernel { id, pipeline, layout }
}

/// The program's text, with the shared roles declared `read_write`.
fn source(program: &Program, shared: Shared) -> Cow<'static, str> {
    let mut text = Cow::Borrowed(program.wgsl);
    for binding in program.kernels.iter().flat_map(|kernel| kernel.bindings) {
        if shared.contains(binding.role) {
            let index = binding.role.index();
            let read = format!("@binding({index}) var<storage, read> ");
            let write = format!("@binding({index}) var<storage, read_write> ");
            text = Cow::Owned(text.replace(&read, &write));
        }
    }
    text
}

fn entries(kernel: &Kernel, shared: Shared) -> Vec<wgpu::BindGroupLayoutEntry> {
    let entry = |binding: &crate::rule::Binding| {
        storage(binding.role.index(), !binding.writes && !shared.contains(binding.role))
    };
    kernel.bindings.iter().map(entry).collect()
}
