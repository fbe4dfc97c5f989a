//! Executes a launch: its kernels in order, a pass range by range, the finishes tensor by tensor.

use super::view::{Records, View, ViewMut, part};
use super::{Passes, pass};
use crate::GpuOptimError;
use crate::backend::{Launch, Limits};
use crate::rule::KernelKind;
use crate::rule::cpu::{AllArguments, TensorArguments};
use crate::rule::records::TensorRecord;

pub(super) fn run(launch: &Launch<'_>, limits: &Limits, how: Passes) -> Result<(), GpuOptimError> {
    if View::of(launch.scalars)?.words()?.first() != Some(&0) {
        return Ok(());
    }
    for kernel in launch.program.kernels {
        for dispatch in launch.dispatches(kernel) {
            // A GPU would refuse it, too.
            limits.grid(dispatch.groups)?;
            launch.slices(kernel, dispatch)?;
            match kernel.kind {
                KernelKind::Pass(pass) => pass::run(launch, dispatch, kernel, &pass, how)?,
                KernelKind::FinishTensor(function) => finish_tensors(launch, function)?,
                KernelKind::FinishAll(function) => finish_all(launch, function)?,
            }
        }
    }
    Ok(())
}

fn finish_tensors(launch: &Launch<'_>, function: fn(&mut TensorArguments<'_>)) -> Result<(), GpuOptimError> {
    let table = Records::read(launch.tensors, 0)?;
    let hyper = View::of(launch.hyper)?;
    let partials = launch.partials.map(View::of).transpose()?;
    let partials = partials.as_ref().map_or(Ok(&[][..]), View::words)?;
    let record_words = launch.program.partial_words;
    let mut scalars = ViewMut::of(launch.scalars)?;
    let scalars = scalars.words()?;
    for record in &table.tensors {
        let clip = launch.clip(scalars, record)?;
        let start = launch.variant.tensor_start(record.slot as usize);
        let halves = scalars.split_at_mut_checked(start);
        let halves = halves.and_then(|(before, from)| Some((before, from.get_mut(..launch.variant.tensor_words)?)));
        let Some((before, tensor)) = halves else {
            return Err(GpuOptimError::Device(format!("slot {} has no scalars", record.slot)));
        };
        let first = record.first_partial as usize * record_words;
        function(&mut TensorArguments {
            row: launch.row(hyper.words()?, record)?,
            all: part("scalars", before, launch.variant.header_words, launch.variant.all_words)?,
            tensor,
            clip,
            partials: part("partials", partials, first, record.partials as usize * record_words)?,
            partial_words: record_words,
        });
    }
    Ok(())
}

fn finish_all(launch: &Launch<'_>, function: fn(&mut AllArguments<'_>)) -> Result<(), GpuOptimError> {
    let table = Records::read(launch.tensors, 0)?;
    let slots: Vec<u32> = table.tensors.iter().map(|record| record.slot).collect();
    let hyper = View::of(launch.hyper)?;
    let mut scalars = ViewMut::of(launch.scalars)?;
    let scalars = scalars.words()?;
    let words = scalars.len();
    let records = scalars
        .get_mut(launch.variant.header_words..)
        .and_then(|scalars| scalars.split_at_mut_checked(launch.variant.all_words));
    let Some((all, tensors)) = records else {
        return Err(GpuOptimError::Device(format!("{words} words of scalars are too few")));
    };
    let row = part("rows", hyper.words()?, 0, launch.program.row_words)?;
    function(&mut AllArguments { row, all, tensors, tensor_words: launch.variant.tensor_words, slots: &slots });
    Ok(())
}

/// What a tensor record points to.
impl Launch<'_> {
    pub(super) fn row<'a>(&self, hyper: &'a [u32], record: &TensorRecord) -> Result<&'a [u32], GpuOptimError> {
        let words = self.program.row_words;
        part("rows", hyper, record.row as usize * words, words)
    }

    pub(super) fn tensor<'a>(&self, scalars: &'a [u32], record: &TensorRecord) -> Result<&'a [u32], GpuOptimError> {
        part("scalars", scalars, self.variant.tensor_start(record.slot as usize), self.variant.tensor_words)
    }

    pub(super) fn clip(&self, scalars: &[u32], record: &TensorRecord) -> Result<f32, GpuOptimError> {
        let word = part("scalars", scalars, record.clip as usize, 1)?;
        Ok(f32::from_bits(word[0]))
    }
}
