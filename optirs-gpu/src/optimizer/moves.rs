//! States taken off a device, to go back to it or to another one.

use scirs2_core::ndarray::ArrayView1;

use super::Optimizer;
use super::storage::Storage;
use crate::rule::Rule;
use crate::{Device, GpuOptimError, ParamSet};

/// What an optimizer had on a device, in the host's memory.
#[derive(Debug)]
pub(super) struct Parked {
    /// The set that they were loaded for; none where any set of the same tensors will do.
    pub set: Option<u64>,
    /// By slot, then by element state; none for tensors without states yet.
    pub cells: Vec<Vec<Vec<u32>>>,
    /// None before the first step, and for a rule without states in them.
    pub scalars: Option<Vec<u32>>,
    /// By extra input, then by slot; none where nothing has been written.
    pub inputs: Vec<Vec<Option<Vec<u32>>>>,
}

impl Parked {
    /// Reads the states of these tensors, and all inputs.
    fn read(storage: &Storage, touched: &[bool], has_scalars: bool) -> Result<Parked, GpuOptimError> {
        let states = storage.variant.element_states.len();
        let cells_of = |(slot, touched): (usize, &bool)| {
            let cells = if *touched { 0..states } else { 0..0 };
            cells.map(|cell| storage.read_cell(slot, cell)).collect::<Result<Vec<_>, _>>()
        };
        let cells = touched.iter().enumerate().map(cells_of).collect::<Result<_, _>>()?;
        let mut inputs = Vec::new();
        for (index, written) in storage.written.iter().enumerate() {
            let input_of =
                |(slot, written): (usize, &bool)| written.then(|| storage.read_input(index, slot)).transpose();
            inputs.push(written.iter().enumerate().map(input_of).collect::<Result<_, _>>()?);
        }
        let mut scalars = None;
        if has_scalars {
            let records = storage.variant.tensor_start(storage.stretches.len());
            let words = scalars.insert(vec![0; records]);
            storage.device.raw().read(&storage.scalars, 0, words)?;
        }
        Ok(Parked { set: None, cells, scalars, inputs })
    }

    /// Puts all of it into storage that covers its tensors.
    fn restore(&self, storage: &mut Storage, params: &ParamSet) -> Result<(), GpuOptimError> {
        for (slot, cells) in self.cells.iter().enumerate() {
            for (cell, words) in cells.iter().enumerate() {
                storage.write_cell(slot, cell, words)?;
            }
        }
        for (index, slots) in self.inputs.iter().enumerate() {
            for (slot, words) in slots.iter().enumerate() {
                if let Some(words) = words {
                    let values: &[f32] = bytemuck::cast_slice(words);
                    storage.write_input(params, index, slot, &ArrayView1::from(values))?;
                }
            }
        }
        match &self.scalars {
            // The header is that of a device on which nothing has run.
            Some(scalars) => {
                let header = storage.variant.header_words;
                storage.device.raw().write(&storage.scalars, header as u64, &scalars[header..])
            }
            None => Ok(()),
        }
    }

    /// One element state of a tensor.
    pub(super) fn cell(&self, slot: usize, cell: usize) -> Option<&[u32]> {
        self.cells.get(slot)?.get(cell).map(Vec::as_slice)
    }

    pub(super) fn scalar(&self, word: usize) -> Option<u32> {
        self.scalars.as_ref()?.get(word).copied()
    }
}

impl<R: Rule> Optimizer<R> {
    /// Moves the optimizer to a device, with its states and inputs: bit for bit as if it had stayed, on a device that
    /// computes the same bits. A [`ParamSet`] stays where it is: make another one there, with the same tensors.
    ///
    /// # Errors
    /// What reading the states says; the optimizer stays where it was then. States on a device that is lost are lost,
    /// too: [`Optimizer::reset`] gives them up, and then it moves, with its hyper-parameters and groups.
    pub fn move_to(&mut self, device: &Device) -> Result<(), GpuOptimError> {
        if self.device() != Some(device) {
            self.move_to_cpu()?;
        }
        self.settle(device.clone());
        Ok(())
    }

    /// Takes all states and inputs off the device.
    pub(crate) fn park(&mut self) -> Result<(), GpuOptimError> {
        self.conclude()?;
        if let Some(storage) = &self.storage {
            let touched: Vec<bool> =
                self.tensors.iter().map(|tensor| self.cohort(tensor).touched).take(storage.stretches.len()).collect();
            let variant = self.variant();
            let has_scalars = self.all_touched && variant.all_words + variant.tensor_words > 0;
            self.parked = Some(Parked::read(storage, &touched, has_scalars)?);
            self.storage = None;
            self.forget_lineups();
        }
        self.resident = false;
        Ok(())
    }

    /// Storage for a set, with what was taken off another device in it. Until it has served, what was taken off stays.
    pub(super) fn new_storage(&self, params: &ParamSet) -> Result<Storage, GpuOptimError> {
        let mut storage = Storage::new(self.variant(), R::INPUTS.len(), params)?;
        if let Some(parked) = &self.parked {
            storage.cover(params)?;
            parked.restore(&mut storage, params)?;
        }
        Ok(storage)
    }

    /// Storage that has served is where the states are from now on.
    pub(super) fn keep(&mut self, storage: Storage) {
        self.storage = Some(storage);
        self.parked = None;
    }

    /// Makes a device the optimizer's home; its states follow at the next step.
    pub(crate) fn settle(&mut self, device: Device) {
        self.device = Some(device);
        self.resident = true;
    }

    /// Whether nothing of the optimizer is on a device.
    pub(crate) fn is_off_device(&self) -> bool {
        self.storage.is_none()
    }

    /// Whether the optimizer steps on its device.
    pub(crate) fn is_resident(&self) -> bool {
        self.resident
    }
}
