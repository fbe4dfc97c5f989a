//! A step's memory in the buffers of the kernel ABI, and back.
//!
//! What lies between tensors is of either sign and not small: whatever reads it spoils a result, whatever computes with it
//! and writes is noticed.

use crate::compiled::Case;
use optimizer_specs::interp::{Memory, Tensor, row_words};
use optimizer_specs::ir::{Cell, KernelKind, Variant};
use optimizer_specs::layout::{self, Role};

/// How many roles there are, two inputs among them.
const ROLES: usize = 9;
/// The role of the first input.
const FIRST_INPUT: usize = 7;
/// What lies where nothing should be read or written.
fn nothing(place: usize) -> u32 {
    let magnitude = 3.25 + (place % 5) as f32;
    (if place.is_multiple_of(2) { magnitude } else { -magnitude }).to_bits()
}

/// Makes an arena this long.
fn extend(words: &mut Vec<u32>, length: usize) {
    words.extend((words.len()..length).map(nothing));
}

/// The words of each role, by binding index.
pub type Buffers = [Vec<u32>; ROLES];

/// Where a tensor lies.
struct Place {
    /// First element of its parameters, gradient, states, input.
    starts: [u32; 4],
    cell_stride: u32,
    slot: u32,
    first_partial: u32,
    partials: u32,
    /// Word of its clip coefficient.
    clip: u32,
}

/// A memory laid out for a program.
pub struct Arena<'a> {
    case: Case<'a>,
    chunk: usize,
    places: Vec<Place>,
}

impl<'a> Arena<'a> {
    /// Lays tensors out: with gaps of different lengths in each arena, and slots in another order than the table's.
    pub fn new(case: Case<'a>, memory: &Memory<f32>) -> Self {
        let chunk = if case.program.partial_words > 0 { layout::REDUCTION_CHUNK } else { layout::ELEMENT_CHUNK };
        let count = memory.tensors.len() as u32;
        let records = case.variant.header + case.variant.all.words + count * case.variant.tensor.words;
        let cells = case.variant.element_states.len() as u32;
        let (mut starts, mut first_partial) = ([4, 0, 8, 12], 0);
        let places = memory.tensors.iter().zip(0..).map(|(tensor, index)| {
            let padded = (tensor.len() as u32).next_multiple_of(4);
            let cell_stride = padded + 4 * (index % 3);
            let partials = tensor.len().div_ceil(chunk) as u32;
            let place =
                Place { starts, cell_stride, slot: count - 1 - index, first_partial, partials, clip: records + index };
            first_partial += partials;
            let lengths = [padded + 4, padded + 8, cell_stride * cells.max(1) + 4, padded];
            starts = [0, 1, 2, 3].map(|role: usize| starts[role] + lengths[role]);
            place
        });
        Self { case, chunk, places: places.collect() }
    }

    /// How many workgroups a kernel takes.
    pub fn workgroups_of(&self, kind: KernelKind) -> u32 {
        let (chunks, tensors) = self.workgroups();
        match kind {
            KernelKind::Pass => chunks,
            KernelKind::FinishTensor | KernelKind::FinishTensorLate => tensors,
            KernelKind::FinishAll => 1,
        }
    }

    /// How many chunks and tensors there are.
    fn workgroups(&self) -> (u32, u32) {
        (self.places.iter().map(|place| place.partials).sum(), self.places.len() as u32)
    }

    /// The buffers before the step.
    pub fn pack(&self, memory: &Memory<f32>, found_inf: bool) -> Buffers {
        let rows = (0..memory.tensors.len()).flat_map(|tensor| row_words(self.case.program, memory, tensor).unwrap());
        let mut buffers = self.pack_without_rows(memory, found_inf);
        buffers[Role::Hyper.index() as usize] = rows.collect();
        buffers
    }

    /// The buffers before the step, but for the rows, which some host values may have no place in.
    pub fn pack_without_rows(&self, memory: &Memory<f32>, found_inf: bool) -> Buffers {
        let mut buffers = Buffers::default();
        for (place, tensor) in self.places.iter().zip(&memory.tensors) {
            put(&mut buffers[2], place.starts[0], tensor.cells[&Cell::Param].iter());
            put(&mut buffers[3], place.starts[1], tensor.grad.iter());
            for (cell, state) in (0..).zip(&self.case.variant.element_states) {
                let start = place.starts[2] + cell * place.cell_stride;
                put(&mut buffers[4], start, tensor.cells[&Cell::ElementState(*state)].iter());
            }
            for (role, input) in (FIRST_INPUT..).zip(&tensor.inputs) {
                put(&mut buffers[role], place.starts[3], input.iter());
            }
        }
        for arena in [2, 3, 4, FIRST_INPUT, FIRST_INPUT + 1] {
            let length = buffers[arena].len().next_multiple_of(4) + 4;
            extend(&mut buffers[arena], length);
        }
        buffers[Role::Chunks.index() as usize] = self.table(memory);
        buffers[Role::Scalars.index() as usize] = self.scalars(memory, found_inf);
        let partials = self.workgroups().0 * self.case.program.partial_words;
        buffers[Role::Partials.index() as usize] = (0..partials as usize).map(nothing).collect();
        buffers
    }

    fn table(&self, memory: &Memory<f32>) -> Vec<u32> {
        let (chunks, tensors) = self.workgroups();
        let mut table = vec![chunks, tensors, f32::INFINITY.to_bits(), f32::NEG_INFINITY.to_bits(), 0, 0, 0, 0];
        for ((index, place), tensor) in (0..).zip(&self.places).zip(&memory.tensors) {
            let len = tensor.len() as u32;
            let (first, partials) = (place.first_partial, place.partials);
            table.extend([index, place.cell_stride, place.slot, len, first, partials, place.clip, 0]);
        }
        for ((index, place), tensor) in (0..).zip(&self.places).zip(&memory.tensors) {
            for chunk in 0..place.partials {
                let before = chunk * self.chunk as u32;
                let [param, gradient, state, input] = place.starts.map(|start| start + before);
                let len = (tensor.len() as u32 - before).min(self.chunk as u32);
                table.extend([param, gradient, state, input, len, index, place.first_partial + chunk, 0]);
            }
        }
        table
    }

    fn scalars(&self, memory: &Memory<f32>, found_inf: bool) -> Vec<u32> {
        let Variant { all, tensor: record, .. } = self.case.variant;
        let mut words = vec![0, 1.0_f32.to_bits(), 0, 0];
        words.truncate(self.case.variant.header as usize);
        words.extend(all.states.iter().map(|&state| memory.all[&Cell::AllState(state)].to_bits()));
        let length = words.len() - all.states.len() + all.words as usize;
        extend(&mut words, length + self.places.len() * record.words as usize);
        for (place, tensor) in self.places.iter().zip(&memory.tensors) {
            let start = length + (place.slot * record.words) as usize;
            for (word, &state) in record.states.iter().enumerate() {
                words[start + word] = tensor.cells[&Cell::TensorState(state)][0].to_bits();
            }
        }
        words.extend(memory.tensors.iter().map(|tensor| tensor.clip.to_bits()));
        if found_inf {
            words[0] = 1;
        }
        words
    }

    /// Takes from the buffers what the step has left in the memory.
    pub fn unpack(&self, buffers: &Buffers, memory: &mut Memory<f32>) {
        let Variant { all, tensor: record, .. } = self.case.variant;
        let header = self.case.variant.header;
        let scalar = |word: u32| f32::from_bits(buffers[5][word as usize]);
        for (word, &state) in (0..).zip(&all.states) {
            memory.all.insert(Cell::AllState(state), scalar(header + word));
        }
        for (place, tensor) in self.places.iter().zip(&mut memory.tensors) {
            let len = tensor.len();
            let mut take = |cell, arena: usize, start: u32| {
                let words = &buffers[arena][start as usize..][..len];
                tensor.cells.insert(cell, words.iter().map(|&word| f32::from_bits(word)).collect());
            };
            take(Cell::Param, 2, place.starts[0]);
            for (cell, &state) in (0..).zip(&self.case.variant.element_states) {
                take(Cell::ElementState(state), 4, place.starts[2] + cell * place.cell_stride);
            }
            for (word, &state) in (0..).zip(&record.states) {
                let word = header + all.words + place.slot * record.words + word;
                tensor.cells.insert(Cell::TensorState(state), vec![scalar(word)]);
            }
        }
    }

    /// The buffers with every element of every tensor blanked out: what is left must not change in a step.
    pub fn between_tensors(&self, buffers: &Buffers, memory: &Memory<f32>) -> [Vec<u32>; 2] {
        let mut left = [buffers[2].clone(), buffers[4].clone()];
        let blank = |words: &mut Vec<u32>, start: u32, tensor: &Tensor<f32>| {
            words[start as usize..][..tensor.len()].fill(0);
        };
        for (place, tensor) in self.places.iter().zip(&memory.tensors) {
            blank(&mut left[0], place.starts[0], tensor);
            for cell in 0..self.case.variant.element_states.len() as u32 {
                blank(&mut left[1], place.starts[2] + cell * place.cell_stride, tensor);
            }
        }
        left
    }
}

/// Writes reals at a start; what was not written before it is nothing.
fn put<'a>(words: &mut Vec<u32>, start: u32, values: impl Iterator<Item = &'a f32>) {
    extend(words, start as usize);
    for (place, value) in (start as usize..).zip(values) {
        if place == words.len() {
            words.push(value.to_bits());
        } else {
            words[place] = value.to_bits();
        }
    }
}
