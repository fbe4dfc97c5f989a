//! What an optimizer keeps on the device: states, scalars, rows, and the tables of recent steps.

use super::tracked::another_set;
use crate::backend::{Buffer, Slice};
use crate::params::{Tensor, regrown};
use crate::rule::Variant;
use crate::tables::Bounds;
use crate::tables::states::{States, Stretch};
use crate::{Device, GpuOptimError, ParamSet};

/// An optimizer's buffers. They only grow; replacing one raises `version`.
#[derive(Debug)]
pub(super) struct Storage {
    pub device: Device,
    /// The set that the layout follows.
    set: u64,
    pub variant: &'static Variant,
    layout: States,
    /// By slot.
    pub stretches: Vec<Vec<Stretch>>,
    /// By segment of the layout.
    segments: Vec<Buffer>,
    pub scalars: Buffer,
    /// Extra inputs: by input, then by arena.
    pub inputs: Vec<Vec<Buffer>>,
    /// Whether an input has been written: by input, then by slot.
    pub written: Vec<Vec<bool>>,
    pub hyper: Option<Buffer>,
    pub partials: Option<Buffer>,
    pub version: u64,
    /// Slots whose states a launch may have written.
    pub attempted: Vec<bool>,
    pub recent: super::recent::Recent,
}

impl Storage {
    pub(super) fn new(variant: &'static Variant, inputs: usize, params: &ParamSet) -> Result<Storage, GpuOptimError> {
        let device = params.device().clone();
        let bounds = Bounds::of(&device.raw().limits())?;
        let layout = States::new(bounds, variant.element_states.len())?;
        let words = variant.tensor_start(0) as u64;
        let scalars = device.raw().allocate("scalars", words)?;
        // No overflow was found, and gradients are not clipped.
        device.raw().write(&scalars, 0, &[0, 1.0f32.to_bits(), 0, 0])?;
        Ok(Storage {
            device,
            set: params.id(),
            variant,
            layout,
            stretches: Vec::new(),
            segments: Vec::new(),
            scalars,
            inputs: vec![Vec::new(); inputs],
            written: vec![Vec::new(); inputs],
            hyper: None,
            partials: None,
            version: 0,
            attempted: Vec::new(),
            recent: Default::default(),
        })
    }

    /// Whether this is the set that the layout follows.
    pub(super) fn follows(&self, params: &ParamSet) -> bool {
        self.set == params.id()
    }

    /// Makes room for all tensors of the set.
    pub(super) fn cover(&mut self, params: &ParamSet) -> Result<(), GpuOptimError> {
        if !self.follows(params) {
            return Err(another_set());
        }
        let tensors = params.tensors();
        if self.stretches.len() == tensors.len() {
            return Ok(());
        }
        let mut layout = self.layout.clone();
        let added = tensors[self.stretches.len()..].iter().map(|tensor: &Tensor| layout.place(&tensor.parts));
        let added: Vec<_> = added.collect::<Result<_, _>>()?;
        let mut segments = Vec::new();
        // Without element states, segments cut ranges, but there is nothing to keep in them.
        if !self.variant.element_states.is_empty() {
            for (place, segment) in layout.segments().iter().enumerate() {
                segments.push(regrown(&self.device, self.segments.get(place), "states", segment.words)?);
            }
        }
        let words = self.variant.tensor_start(tensors.len()) as u64;
        let scalars = regrown(&self.device, Some(&self.scalars), "scalars", words)?;
        (self.layout, self.segments, self.scalars) = (layout, segments, scalars);
        self.stretches.extend(added);
        self.attempted.resize(tensors.len(), false);
        self.version += 1;
        Ok(())
    }

    /// The arena that a segment belongs to.
    pub(super) fn arena(&self, segment: usize) -> usize {
        self.layout.segments()[segment].arena
    }

    /// A segment's buffer; none for a rule without element states.
    pub(super) fn segment(&self, segment: usize) -> Option<&Buffer> {
        self.segments.get(segment)
    }

    /// Reads one element state of a tensor.
    pub(super) fn read_cell(&self, slot: usize, cell: usize) -> Result<Vec<u32>, GpuOptimError> {
        let stretches = &self.stretches[slot];
        let len: u64 = stretches.iter().map(|stretch| stretch.len).sum();
        let mut words = vec![0; len as usize];
        for stretch in stretches {
            let part = &mut words[stretch.offset as usize..][..stretch.len as usize];
            self.device.raw().read(&self.segments[stretch.segment], stretch.cell_start(cell), part)?;
        }
        Ok(words)
    }

    /// Writes one element state of a tensor.
    pub(super) fn write_cell(&self, slot: usize, cell: usize, words: &[u32]) -> Result<(), GpuOptimError> {
        for stretch in &self.stretches[slot] {
            let part = &words[stretch.offset as usize..][..stretch.len as usize];
            self.device.raw().write(&self.segments[stretch.segment], stretch.cell_start(cell), part)?;
        }
        Ok(())
    }

    /// Sets one element state of a tensor to its parameters.
    pub(super) fn copy_param(&self, slot: usize, cell: usize, params: &ParamSet) -> Result<(), GpuOptimError> {
        for stretch in &self.stretches[slot] {
            let from = &params.arenas()[self.arena(stretch.segment)].param;
            let (start, to) = (from.start + stretch.param_start, &self.segments[stretch.segment]);
            self.device.raw().copy(&from.buffer, start, to, stretch.cell_start(cell), stretch.len)?;
        }
        Ok(())
    }

    /// Uploads a step's rows, in one write.
    pub(super) fn write_rows(&mut self, words: &[u32]) -> Result<Slice, GpuOptimError> {
        let hyper = at_least(&self.device, &mut self.hyper, "rows", words.len() as u64)?;
        self.device.raw().write(&hyper, 0, words)?;
        Ok(hyper.whole())
    }

    /// Room for a step's partial records.
    pub(super) fn partials(&mut self, words: u64) -> Result<Slice, GpuOptimError> {
        Ok(at_least(&self.device, &mut self.partials, "partial sums", words)?.whole())
    }
}

impl Stretch {
    fn cell_start(&self, cell: usize) -> u64 {
        self.state_start + cell as u64 * self.stride
    }
}

/// A buffer whose contents need not be kept, of at least that many words.
fn at_least(device: &Device, held: &mut Option<Buffer>, label: &str, words: u64) -> Result<Buffer, GpuOptimError> {
    let words = words.max(4);
    match held {
        Some(buffer) if buffer.words >= words => Ok(buffer.clone()),
        _ => {
            let limit = device.raw().limits().binding_words;
            if words > limit {
                return Err(GpuOptimError::UnsupportedOperation(format!(
                    "{label} of {words} words: the device binds at most {limit} at once"
                )));
            }
            let buffer = device.raw().allocate(label, words)?;
            Ok(held.insert(buffer).clone())
        }
    }
}
