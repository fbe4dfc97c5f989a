//! A pass over the chunks of one range, in parallel.

use std::sync::Arc;

use rayon::prelude::*;

use super::Passes;
use super::split::{Span, disjoint};
use super::view::{Records, View, ViewMut, part};
use crate::GpuOptimError;
use crate::backend::{Dispatch, Launch, Range};
use crate::rule::cpu::{ChunkArguments, CompiledPass};
use crate::rule::{Kernel, Role};

/// The most elements of joined chunks, where those leave no partial results of their own: enough that handing them out costs
/// next to nothing, few enough that the threads have equally many of the pieces of a tensor that is worth sharing.
const LONGEST: u32 = 1 << 14;

/// Runs `pass`, the implementation of `kernel`.
pub(super) fn run(
    launch: &Launch<'_>,
    dispatch: Dispatch<'_>,
    kernel: &Kernel,
    pass: &CompiledPass,
    how: Passes,
) -> Result<(), GpuOptimError> {
    let Some(range) = dispatch.range else { return Ok(()) };
    refuse_aliases(launch, range)?;
    let bound = |role| kernel.bindings.iter().any(|binding| binding.role == role);
    let record = if bound(Role::Partials) { launch.program.partial_words } else { 0 };
    let Records { tensors, chunks } = Records::read(&range.table, if record == 0 { LONGEST } else { 0 })?;
    let elements: u64 = chunks.iter().map(|chunk| u64::from(chunk.len)).sum();
    let arena = |role| launch.slice(dispatch, role);

    let (hyper, scalars) = (View::of(launch.hyper)?, View::of(launch.scalars)?);
    let (hyper, scalars) = (hyper.words()?, scalars.words()?);
    let grad = arena(Role::Gradient).filter(|_| bound(Role::Gradient)).map(View::of).transpose()?;
    let grad = grad.as_ref().map(View::reals).transpose()?;
    let mut input_views = Vec::new();
    for (_, slice) in range.arenas.iter().filter(|(role, _)| matches!(role, Role::Input(_))) {
        input_views.push(View::of(slice)?);
    }
    let mut param = arena(Role::Param).map(ViewMut::of).transpose()?;
    let mut state = arena(Role::State).map(ViewMut::of).transpose()?;
    let mut partials = launch.partials.map(ViewMut::of).transpose()?;

    let params = chunks.iter().enumerate().map(|(place, chunk)| Span {
        start: chunk.param_start as usize,
        len: chunk.len as usize,
        place,
    });
    let cells = launch.variant.element_states.len();
    let states = chunks.iter().enumerate().flat_map(|(place, chunk)| {
        let stride = tensors[chunk.tensor as usize].cell_stride as usize;
        (0..cells).map(move |cell| Span {
            start: chunk.state_start as usize + cell * stride,
            len: chunk.len as usize,
            place: place * cells + cell,
        })
    });
    let records = chunks.iter().enumerate().filter(|_| record > 0).map(|(place, chunk)| Span {
        start: chunk.partial as usize * record,
        len: record,
        place,
    });
    let param = param.as_mut().map_or(Ok(&mut [][..]), ViewMut::reals)?;
    let state = state.as_mut().map_or(Ok(&mut [][..]), ViewMut::reals)?;
    let partials = partials.as_mut().map_or(Ok(&mut [][..]), ViewMut::words)?;
    let params = disjoint(param, params, chunks.len())?;
    let mut states = disjoint(state, states, cells * chunks.len())?;
    let partials = disjoint(partials, records, chunks.len())?;

    let mut inputs = Vec::with_capacity(input_views.len() * chunks.len());
    for chunk in &chunks {
        for view in &input_views {
            inputs.push(part("an input", view.reals()?, chunk.input_start as usize, chunk.len as usize)?);
        }
    }

    let all = part("scalars", scalars, launch.variant.header_words, launch.variant.all_words)?;
    let mut states = states.as_mut_slice();
    let mut inputs = inputs.as_slice();
    let mut work = Vec::with_capacity(chunks.len());
    for ((chunk, param), partials) in chunks.iter().zip(params).zip(partials) {
        let tensor = &tensors[chunk.tensor as usize];
        let (chunk_states, other_states) = core::mem::take(&mut states).split_at_mut(cells);
        let (chunk_inputs, other_inputs) = inputs.split_at(input_views.len());
        (states, inputs) = (other_states, other_inputs);
        let grad = grad.map(|grad| part("gradients", grad, chunk.grad_start as usize, chunk.len as usize));
        work.push(ChunkArguments {
            row: launch.row(hyper, tensor)?,
            all,
            tensor: launch.tensor(scalars, tensor)?,
            clip: launch.clip(scalars, tensor)?,
            param,
            grad: grad.unwrap_or(Ok(&[]))?,
            inputs: chunk_inputs,
            states: chunk_states,
            partials,
        });
    }
    let one = |chunk: &mut ChunkArguments<'_>| pass.run(how.instructions, chunk);
    if elements < how.alone {
        work.iter_mut().for_each(one);
    } else {
        work.par_iter_mut().for_each(one);
    }
    Ok(())
}

/// Two locks of one buffer would wait for each other.
fn refuse_aliases(launch: &Launch<'_>, range: &Range) -> Result<(), GpuOptimError> {
    let arenas = range.arenas.iter().map(|(_, slice)| slice);
    let slices = arenas.chain([launch.hyper, launch.scalars, &range.table]).chain(launch.partials);
    for (place, slice) in slices.clone().enumerate() {
        if slices.clone().take(place).any(|other| Arc::ptr_eq(&other.buffer.handle, &slice.buffer.handle)) {
            return Err(GpuOptimError::Device(format!("{:?} is bound twice", slice.buffer)));
        }
    }
    Ok(())
}
