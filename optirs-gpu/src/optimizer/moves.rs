//! States taken off a device, to go back to it or to another one.

use super::Optimizer;
use super::storage::Storage;
use crate::rule::Rule;
use crate::{Device, GpuOptimError};

/// An optimizer's device states, in the host's memory.
#[derive(Debug)]
pub(super) struct Parked {
    /// By slot, then by element state; none for tensors without states yet.
    cells: Vec<Vec<Vec<u32>>>,
    scalars: Vec<u32>,
}

impl Parked {
    /// Puts the states back.
    pub(super) fn restore(&self, storage: &Storage) -> Result<(), GpuOptimError> {
        for (slot, cells) in self.cells.iter().enumerate() {
            for (cell, words) in cells.iter().enumerate() {
                storage.write_cell(slot, cell, words)?;
            }
        }
        storage.device.raw().write(&storage.scalars, 0, &self.scalars)
    }

    /// One element state of a tensor.
    pub(super) fn cell(&self, slot: usize, cell: usize) -> Option<&[u32]> {
        self.cells.get(slot)?.get(cell).map(Vec::as_slice)
    }

    pub(super) fn scalar(&self, word: usize) -> Option<u32> {
        self.scalars.get(word).copied()
    }
}

impl<R: Rule> Optimizer<R> {
    /// Takes all states off the device.
    pub(crate) fn park(&mut self) -> Result<(), GpuOptimError> {
        // States that are still parked have not reached the storage.
        if let (Some(storage), None) = (&self.storage, &self.parked) {
            let states = self.variant().element_states.len();
            let cells_of = |(slot, touched): (usize, bool)| {
                let cells = if touched { 0..states } else { 0..0 };
                cells.map(|cell| storage.read_cell(slot, cell)).collect::<Result<Vec<_>, _>>()
            };
            let touched = self.tensors.iter().map(|tensor| tensor.touched).take(storage.stretches.len());
            let cells = touched.enumerate().map(cells_of).collect::<Result<_, _>>()?;
            let mut scalars = vec![0; storage.scalars.words as usize];
            storage.device.raw().read(&storage.scalars, 0, &mut scalars)?;
            self.parked = Some(Parked { cells, scalars });
        }
        self.storage = None;
        self.resident = false;
        Ok(())
    }

    /// Makes a device the optimizer's home; its states follow at the next step.
    pub(crate) fn settle(&mut self, device: Device) {
        self.device = Some(device);
        self.resident = true;
    }

    /// Whether the optimizer is on its device.
    pub(crate) fn is_resident(&self) -> bool {
        self.resident
    }
}
