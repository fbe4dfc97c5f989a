//! A step as one batch: one command buffer, waited for.

use scirs2_core::gpu::GpuBuffer;

use super::context::{MetalBackend, Work, handle};
use super::source::NAMES;
use crate::GpuOptimError;
use crate::backend::{Launch, Slice};
use crate::rule::{Binding, Role};

impl MetalBackend {
    pub(super) fn launch(&self, launches: &[Launch<'_>]) -> Result<(), GpuOptimError> {
        let mut work = self.work();
        let compiled = launches.iter().map(|launch| work.program(launch.program)).collect::<Result<Vec<_>, _>>()?;
        let mut bound = Vec::new();
        for (launch, compiled) in launches.iter().zip(&compiled) {
            for (kernel, ready) in launch.program.kernels.iter().zip(compiled.iter()) {
                for dispatch in launch.dispatches(kernel) {
                    let slices = launch.slices(kernel, dispatch)?;
                    let buffers = kernel.bindings.iter().zip(slices).map(|(binding, slice)| work.whole(binding, slice));
                    let grid = self.limits.grid(dispatch.groups)?;
                    bound.push((ready, buffers.collect::<Result<Vec<_>, _>>()?, grid));
                }
            }
        }
        // Dispatches of a batch run one after the other, and each sees what those before it wrote.
        work.context.begin_batch()?;
        for (ready, buffers, grid) in &bound {
            for (name, buffer) in NAMES.iter().zip(buffers) {
                ready.set_buffer(name, buffer);
            }
            ready.dispatch(*grid);
        }
        let ended = work.context.end_batch();
        // A kernel holds on to the buffers it was given last; with a small one in their place, memory that is freed is.
        for (ready, buffers, _) in &bound {
            NAMES.iter().zip(buffers).for_each(|(name, _)| ready.set_buffer(name, &work.nothing));
        }
        Ok(ended?)
    }
}

impl Work {
    /// The slice as a buffer that starts where it starts. Tables and rows, which are small and only read, are copied
    /// where they lie within a buffer; everything else is bound whole by the planner.
    fn whole(&self, binding: &Binding, slice: &Slice) -> Result<GpuBuffer<u32>, GpuOptimError> {
        let raw = &handle(&slice.buffer)?.raw;
        if slice.start == 0 {
            return Ok(raw.clone());
        }
        slice.buffer.check(slice.start, slice.words)?;
        if binding.writes || !matches!(binding.role, Role::Hyper | Role::Chunks) {
            return Err(GpuOptimError::UnsupportedOperation(format!(
                "Metal through scirs2-core binds whole buffers: {:?} starts at word {} of its own",
                binding.role, slice.start
            )));
        }
        let copy = self.context.create_buffer::<u32>(slice.words as usize);
        self.copy((raw, slice.start as u32), (&copy, 0), slice.words as u32);
        Ok(copy)
    }
}
