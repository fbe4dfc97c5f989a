//! What an optimizer keeps on the device: states, scalars, rows, and the tables of recent steps.

use std::sync::Arc;

use super::recent::{Asked, Recent};
use super::tracked::another_set;
use crate::backend::{Buffer, Slice, Write, zeros};
use crate::params::{Tensor, regrown};
use crate::rule::Variant;
use crate::rule::records::SCALARS_HEADER_WORDS;
use crate::tables::Bounds;
use crate::tables::states::{States, Stretch};
use crate::{Device, GpuOptimError, ParamSet};

/// Words that are written at a time where all are the same.
const PIECE: u64 = 1 << 22;
/// The header of the scalars where no guard runs: nothing infinite was found, and gradients are not clipped.
pub(super) const FIRST_HEADER: [u32; SCALARS_HEADER_WORDS] = [0, 1.0f32.to_bits(), 0, 0];

/// An optimizer's buffers. They only grow; replacing one raises `version`. A clone holds the same buffers, so that what a
/// failing call has grown can be given back.
#[derive(Clone, Debug)]
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
    /// Slots whose states may have been written, by a step that then failed.
    pub attempted: Vec<bool>,
    pub recent: Recent,
    /// The tables of the guard.
    pub guarded: Recent,
    /// The rows of the guard.
    pub guard_rows: Option<Buffer>,
    /// Whether the guard has written to the header of the scalars, which then holds what it found.
    pub decided: bool,
}

impl Storage {
    pub(super) fn new(variant: &'static Variant, inputs: usize, params: &ParamSet) -> Result<Storage, GpuOptimError> {
        let device = params.device().clone();
        let bounds = Bounds::of(&device.raw().limits())?;
        let layout = States::new(bounds, variant.element_states.len())?;
        let words = variant.tensor_start(0) as u64;
        let scalars = device.raw().allocate("scalars", words)?;
        device.raw().write(&scalars, 0, &FIRST_HEADER[..variant.header_words])?;
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
            recent: Recent::default(),
            guarded: Recent::default(),
            guard_rows: None,
            decided: false,
        })
    }

    /// Whether this is the set that the layout follows.
    pub(super) fn follows(&self, params: &ParamSet) -> bool {
        self.set == params.id()
    }

    /// Whether it has room for all tensors of the set.
    fn covers(&self, params: &ParamSet) -> bool {
        self.stretches.len() == params.tensors().len()
    }

    /// Whether a program over these tensors finds all that it needs, and the guard before it, if one is.
    pub(super) fn is_ready(&self, asked: Asked, guarded: bool, slots: &Arc<[usize]>, params: &ParamSet) -> bool {
        let versions = (params.version(), self.version);
        self.covers(params)
            && self.recent.knows(asked, slots, versions)
            && (!guarded || self.guarded.knows(Asked::Guard, slots, versions))
    }

    /// As it was before a step that failed, which may have written to buffers that it had already.
    pub(super) fn after(mut self, failed: &Storage) -> Storage {
        for (attempted, late) in self.attempted.iter_mut().zip(&failed.attempted) {
            *attempted |= late;
        }
        self.decided |= failed.decided;
        self
    }

    /// Makes room for all tensors of the set.
    pub(super) fn cover(&mut self, params: &ParamSet) -> Result<(), GpuOptimError> {
        if !self.follows(params) {
            return Err(another_set());
        }
        if self.covers(params) {
            return Ok(());
        }
        let tensors = params.tensors();
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
        // What the guard had behind them is of one step: it is overwritten, and stands behind the new ones from now on.
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
        self.read_stretches(slot, |stretch| (&self.segments[stretch.segment], stretch.cell_start(cell)))
    }

    /// Reads a tensor's values of an extra input, which lie as its parameters do.
    pub(super) fn read_input(&self, index: usize, slot: usize) -> Result<Vec<u32>, GpuOptimError> {
        self.read_stretches(slot, |stretch| (&self.inputs[index][self.arena(stretch.segment)], stretch.param_start))
    }

    /// Reads a word per element of a tensor.
    fn read_stretches<'a>(
        &'a self,
        slot: usize,
        lies: impl Fn(&Stretch) -> (&'a Buffer, u64),
    ) -> Result<Vec<u32>, GpuOptimError> {
        let stretches = &self.stretches[slot];
        let mut words = zeros("a tensor's values", stretches.iter().map(|stretch| stretch.len).sum())?;
        for stretch in stretches {
            let part = &mut words[stretch.offset as usize..][..stretch.len as usize];
            let (buffer, start) = lies(stretch);
            self.device.raw().read(buffer, start, part)?;
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

    /// Sets one element state of a tensor to a number.
    pub(super) fn fill_cell(&self, slot: usize, cell: usize, value: f32) -> Result<(), GpuOptimError> {
        let longest = self.stretches[slot].iter().map(|stretch| stretch.len).max().unwrap_or(0);
        let words = vec![value.to_bits(); longest.min(PIECE) as usize];
        for stretch in &self.stretches[slot] {
            let (buffer, start) = (&self.segments[stretch.segment], stretch.cell_start(cell));
            for done in (0..stretch.len).step_by(PIECE as usize) {
                let piece = &words[..PIECE.min(stretch.len - done) as usize];
                self.device.raw().write(buffer, start + done, piece)?;
            }
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

    /// Room for a step's rows.
    pub(super) fn row_buffer(&mut self, words: u64) -> Result<Slice, GpuOptimError> {
        Ok(at_least(&self.device, &mut self.hyper, "rows", words)?.whole())
    }

    /// The header of the scalars as it is where no guard runs.
    pub(super) fn undecided<'a>(&self, scalars: &'a Slice) -> Write<'a> {
        Write { buffer: &scalars.buffer, start: 0, words: &FIRST_HEADER[..self.variant.header_words] }
    }

    /// Room for the rows of a step's guard.
    pub(super) fn guard_row_buffer(&mut self, words: u64) -> Result<Slice, GpuOptimError> {
        Ok(at_least(&self.device, &mut self.guard_rows, "rows of the guard", words)?.whole())
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
                let (what, needed) = (label.to_owned(), words.saturating_mul(4));
                return Err(GpuOptimError::LimitExceeded {
                    what,
                    needed,
                    limit: limit.saturating_mul(4),
                    unit: "bytes",
                });
            }
            let buffer = device.raw().allocate(label, words)?;
            Ok(held.insert(buffer).clone())
        }
    }
}
