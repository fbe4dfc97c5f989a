//! A step: every pass over its ranges, then its finishes, in one submission.

use super::WgpuBackend;
use super::buffer::handle;
use super::program::{CompiledKernel, Shared};
use super::scope::scoped;
use crate::GpuOptimError;
use crate::backend::{Launch, Range, Slice};
use crate::rule::{Kernel, KernelKind, Role};

/// One dispatch.
struct Dispatch<'a> {
    pipeline: &'a wgpu::ComputePipeline,
    group: wgpu::BindGroup,
    grid: [u32; 3],
}

impl WgpuBackend {
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), GpuOptimError> {
        self.health.check()?;
        self.flight.make_room()?;
        let shared = self.shared_roles(launch)?;
        let compiled = self.programs.get(&self.device, launch.program, shared)?;
        let mut dispatches = Vec::new();
        for (kernel, ready) in launch.program.kernels.iter().zip(&compiled.kernels) {
            for (range, groups) in work(launch, kernel.kind) {
                let grid = self.limits.grid(groups)?;
                let group = self.bind(launch, kernel, ready, range)?;
                dispatches.push(Dispatch { pipeline: &ready.pipeline, group, grid });
            }
        }
        // A dispatch sees what the one before it wrote: wgpu puts a barrier between them where they share a buffer.
        scoped(&self.device, || {
            let mut encoder = self.device.create_command_encoder(&Default::default());
            let mut pass = encoder.begin_compute_pass(&Default::default());
            for Dispatch { pipeline, group, grid: [x, y, z] } in &dispatches {
                pass.set_pipeline(pipeline);
                pass.set_bind_group(0, group, &[]);
                pass.dispatch_workgroups(*x, *y, *z);
            }
            drop(pass);
            self.submit(encoder.finish())
        })?;
        self.health.check()
    }

    fn bind(
        &self,
        launch: &Launch<'_>,
        kernel: &Kernel,
        ready: &CompiledKernel,
        range: Option<&Range>,
    ) -> Result<wgpu::BindGroup, GpuOptimError> {
        let groups = self.groups_weak();
        let mut bound = Vec::with_capacity(kernel.bindings.len());
        let mut buffers = Vec::with_capacity(kernel.bindings.len());
        for binding in kernel.bindings {
            let slice = slice_of(launch, range, binding.role).ok_or_else(|| {
                GpuOptimError::InvalidState(format!(
                    "kernel `{}` binds {:?}: nothing was given",
                    kernel.name, binding.role
                ))
            })?;
            let buffer = handle(&slice.buffer, &groups)?;
            bound.push((buffer.id, slice.start.saturating_mul(4), slice.words.saturating_mul(4)));
            buffers.push((binding.role.index(), &buffer.raw));
        }
        self.groups.get(ready.id, bound.clone(), || {
            for (binding, &(_, _, needed)) in kernel.bindings.iter().zip(&bound) {
                let limit = self.limits.binding_words.saturating_mul(4);
                if needed > limit {
                    let what = format!("binding {:?} of kernel `{}`", binding.role, kernel.name);
                    return Err(GpuOptimError::LimitExceeded { what, needed, limit, unit: "bytes" });
                }
            }
            let resources = buffers.iter().zip(&bound).map(|(&(binding, buffer), &(_, offset, size))| {
                let size = wgpu::BufferSize::new(size);
                let resource = wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer, offset, size });
                wgpu::BindGroupEntry { binding, resource }
            });
            let entries: Vec<_> = resources.collect();
            scoped(&self.device, || {
                self.device.create_bind_group(&wgpu::BindGroupDescriptor {
                    label: Some(kernel.name),
                    layout: &ready.layout,
                    entries: &entries,
                })
            })
        })
    }
}

/// The dispatches of a kernel: the range of each and its workgroups. Those without work are left out.
fn work<'a>(launch: &'a Launch<'_>, kind: KernelKind) -> Vec<(Option<&'a Range>, u32)> {
    let all: Vec<_> = match kind {
        KernelKind::Pass(_) => launch.ranges.iter().map(|range| (Some(range), range.chunks)).collect(),
        KernelKind::FinishTensor(_) => vec![(None, launch.tensor_count)],
        KernelKind::FinishAll(_) => vec![(None, launch.tensor_count.min(1))],
    };
    all.into_iter().filter(|&(_, groups)| groups > 0).collect()
}

/// What a role binds: in a pass the range's, in a finish (without a range) the table of all tensors.
fn slice_of<'a>(launch: &'a Launch<'_>, range: Option<&'a Range>, role: Role) -> Option<&'a Slice> {
    match role {
        Role::Hyper => Some(launch.hyper),
        Role::Chunks => Some(range.map_or(launch.tensors, |range| &range.table)),
        Role::Scalars => Some(launch.scalars),
        Role::Partials => launch.partials,
        Role::Param | Role::Gradient | Role::State | Role::Input(_) => {
            let arenas = range?.arenas.iter();
            arenas.filter(|(of, _)| *of == role).map(|(_, slice)| slice).next()
        }
    }
}

impl WgpuBackend {
    /// The roles that some kernel only reads and that share a buffer with one that it writes.
    fn shared_roles(&self, launch: &Launch<'_>) -> Result<Shared, GpuOptimError> {
        let groups = self.groups_weak();
        let mut shared = Shared::default();
        for kernel in launch.program.kernels {
            for (range, _) in work(launch, kernel.kind) {
                let mut written = Vec::new();
                let mut read = Vec::new();
                for binding in kernel.bindings {
                    // One that is missing is an error when it is bound.
                    let Some(slice) = slice_of(launch, range, binding.role) else { continue };
                    let raw = &handle(&slice.buffer, &groups)?.raw;
                    if binding.writes { written.push(raw) } else { read.push((binding.role, raw)) }
                }
                read.iter().filter(|(_, raw)| written.contains(raw)).for_each(|&(role, _)| shared.insert(role));
            }
        }
        Ok(shared)
    }
}
