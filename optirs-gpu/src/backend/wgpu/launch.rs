//! A step: what it brings along, every pass over its ranges, then its finishes, program by program, and what is read of
//! it, in one submission.

use std::sync::Arc;

use super::WgpuBackend;
use super::bind::BoundSlice;
use super::buffer::handle;
use super::copies::BufferCopy;
use super::program::{CompiledKernel, Shared};
use super::staging::{Piece, submit_with};
use super::transfer::Coming;
use crate::GpuOptimError;
use crate::backend::{Launch, Reading, Slice, Write};
use crate::rule::Kernel;

/// A dispatch with all that it needs.
#[derive(Debug)]
pub(super) struct ReadyDispatch {
    pipeline: wgpu::ComputePipeline,
    group: wgpu::BindGroup,
    grid: [u32; 3],
}

/// Encodes dispatches as one pass. Each sees what the one before it wrote: wgpu puts a barrier between them where they
/// share a buffer.
pub(super) fn encode(dispatches: &[ReadyDispatch], encoder: &mut wgpu::CommandEncoder) {
    let mut pass = encoder.begin_compute_pass(&Default::default());
    for ReadyDispatch { pipeline, group, grid: [x, y, z] } in dispatches {
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, group, &[]);
        pass.dispatch_workgroups(*x, *y, *z);
    }
}

impl WgpuBackend {
    /// Runs launches. Whether the device was lost is asked afterwards, for wgpu takes a submission to a lost device without
    /// a word, and what else goes wrong on one is a consequence.
    pub(super) fn launch(
        &self,
        writes: &[Write<'_>],
        launches: &[Launch<'_>],
        read: Option<&Slice>,
    ) -> Result<Option<Reading>, GpuOptimError> {
        let launched = self.submit_launches(writes, launches, read);
        self.health.check()?;
        launched
    }

    fn submit_launches(
        &self,
        writes: &[Write<'_>],
        launches: &[Launch<'_>],
        read: Option<&Slice>,
    ) -> Result<Option<Reading>, GpuOptimError> {
        self.flight.make_room()?;
        let dispatches = self.dispatches(launches)?;
        let (mut upward, copies) = self.bring(writes)?;
        let mut answer = read.map(|slice| self.answer(slice)).transpose()?;
        let mut pieces: Vec<&mut Piece> = upward.iter_mut().collect();
        let copy_out = answer.as_mut().map(|(piece, copy)| {
            pieces.push(piece);
            &*copy
        });
        let is_mapped = !pieces.is_empty();
        submit_with(&self.health, &mut pieces, || {
            let mut encoder = self.device.create_command_encoder(&Default::default());
            copies.iter().for_each(|copy| copy.encode(&mut encoder));
            encode(&dispatches, &mut encoder);
            copy_out.iter().for_each(|copy| copy.encode(&mut encoder));
            let submission = self.submit(Some(encoder.finish()));
            if !is_mapped {
                self.flight.watch(&submission);
            }
            submission
        })?;
        Ok(answer.map(|(piece, copy)| Reading(Arc::new(Coming::new(piece, copy.length)))))
    }

    /// Puts what a step brings along into staging memory that is kept, with the copies from there. More than a piece holds
    /// is written by itself, before the step.
    fn bring(&self, writes: &[Write<'_>]) -> Result<(Option<Piece>, Vec<BufferCopy>), GpuOptimError> {
        // Mappings begin at whole multiples of this.
        let room = |write: &Write<'_>| (write.words.len() as u64 * 4).next_multiple_of(wgpu::MAP_ALIGNMENT);
        let bytes: u64 = writes.iter().map(room).sum();
        if bytes == 0 || bytes > self.brought.piece() as u64 {
            writes.iter().try_for_each(|write| self.write_words(write.buffer, write.start, write.words))?;
            return Ok((None, Vec::new()));
        }
        let mut piece = self.brought.take(&self.flight)?;
        let (groups, mut copies, mut at) = (self.groups_weak(), Vec::with_capacity(writes.len()), 0);
        for write in writes.iter().filter(|write| !write.words.is_empty()) {
            let Write { buffer, start, words } = write;
            buffer.check(*start, words.len() as u64)?;
            let (from, to) = (piece.buffer().clone(), handle(buffer, &groups)?.raw.clone());
            let length = words.len() as u64 * 4;
            piece.fill(at, bytemuck::cast_slice(words))?;
            copies.push(BufferCopy { from, from_start: at, to, to_start: start * 4, length });
            at += room(write);
        }
        Ok((Some(piece), copies))
    }

    /// The dispatches of launches, in their order.
    pub(super) fn dispatches(&self, launches: &[Launch<'_>]) -> Result<Vec<ReadyDispatch>, GpuOptimError> {
        let mut dispatches = Vec::new();
        for launch in launches {
            let compiled = self.programs.get(&self.device, &self.health, launch.program, self.shared_roles(launch)?)?;
            for (kernel, ready) in launch.program.kernels.iter().zip(&compiled.kernels) {
                for dispatch in launch.dispatches(kernel) {
                    let grid = self.limits.grid(dispatch.groups)?;
                    let group = self.bind(kernel, ready, &launch.slices(kernel, dispatch)?)?;
                    dispatches.push(ReadyDispatch { pipeline: ready.pipeline.clone(), group, grid });
                }
            }
        }
        Ok(dispatches)
    }

    /// The bind group of a kernel over these slices, one per binding.
    fn bind(
        &self,
        kernel: &Kernel,
        ready: &CompiledKernel,
        slices: &[&Slice],
    ) -> Result<wgpu::BindGroup, GpuOptimError> {
        let groups = self.groups_weak();
        let bound = slices.iter().map(|slice| {
            let id = handle(&slice.buffer, &groups)?.id;
            Ok((id, slice.start.saturating_mul(4), slice.words.saturating_mul(4)))
        });
        let bound = bound.collect::<Result<Vec<BoundSlice>, GpuOptimError>>()?;
        self.groups.get(ready.id, bound, || self.make_group(kernel, ready, slices))
    }

    fn make_group(
        &self,
        kernel: &Kernel,
        ready: &CompiledKernel,
        slices: &[&Slice],
    ) -> Result<wgpu::BindGroup, GpuOptimError> {
        let groups = self.groups_weak();
        let mut entries = Vec::with_capacity(slices.len());
        for (binding, slice) in kernel.bindings.iter().zip(slices) {
            let (needed, limit) = (slice.words.saturating_mul(4), self.limits.binding_words.saturating_mul(4));
            if needed > limit {
                let what = format!("binding {:?} of kernel `{}`", binding.role, kernel.name);
                return Err(GpuOptimError::LimitExceeded { what, needed, limit, unit: "bytes" });
            }
            entries.push(wgpu::BindGroupEntry {
                binding: binding.role.index(),
                resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                    buffer: &handle(&slice.buffer, &groups)?.raw,
                    offset: slice.start.saturating_mul(4),
                    size: wgpu::BufferSize::new(needed),
                }),
            });
        }
        self.health.scoped(|| {
            self.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some(kernel.name),
                layout: &ready.layout,
                entries: &entries,
            })
        })
    }

    /// The roles that some kernel only reads and that share a buffer with one that it writes.
    fn shared_roles(&self, launch: &Launch<'_>) -> Result<Shared, GpuOptimError> {
        let groups = self.groups_weak();
        let mut shared = Shared::default();
        for kernel in launch.program.kernels {
            for dispatch in launch.dispatches(kernel) {
                let mut bound = Vec::with_capacity(kernel.bindings.len());
                for (binding, slice) in kernel.bindings.iter().zip(launch.slices(kernel, dispatch)?) {
                    bound.push((binding, &handle(&slice.buffer, &groups)?.raw));
                }
                for (binding, raw) in bound.iter().filter(|(binding, _)| !binding.writes) {
                    if bound.iter().any(|(other, written)| other.writes && written == raw) {
                        shared.insert(binding.role);
                    }
                }
            }
        }
        Ok(shared)
    }
}
