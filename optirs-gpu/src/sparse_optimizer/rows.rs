//! What a step may touch: parameters by row and column, and a state for each cell of the rows that have been touched.

use std::collections::HashMap;

use scirs2_core::ndarray::{Array1, Array2};

use crate::GpuOptimError;

/// Parameters that are reached cell by cell; a step knows no other way to them.
pub(super) trait Cells {
    /// A parameter; none outside of the shape.
    fn cell(&mut self, row: usize, column: usize) -> Option<&mut f64>;
}

/// Rows of one cell.
impl Cells for Array1<f64> {
    fn cell(&mut self, row: usize, _: usize) -> Option<&mut f64> {
        self.get_mut(row)
    }
}

impl Cells for Array2<f64> {
    fn cell(&mut self, row: usize, column: usize) -> Option<&mut f64> {
        self.get_mut((row, column))
    }
}

/// States of the rows that have been touched. What has not been takes no memory.
#[derive(Debug, Clone, Default)]
pub(super) struct RowStates<S> {
    /// Of the parameters, from the first step on.
    shape: Option<(usize, usize)>,
    /// Which row's cells stand at which place.
    places: HashMap<usize, usize>,
    cells: Vec<S>,
}

impl<S: Copy + Default> RowStates<S> {
    /// Checks that parameters have the gradient's shape, and that of the states.
    pub fn check(&self, params: &[usize], gradient: (usize, usize)) -> Result<(), GpuOptimError> {
        let (rows, columns) = gradient;
        let given = if params.len() == 1 { vec![rows] } else { vec![rows, columns] };
        if params != given {
            return Err(GpuOptimError::DimensionMismatch { expected: params.to_vec(), actual: given });
        }
        match self.shape {
            Some(known) if known != gradient => {
                let expected = if params.len() == 1 { vec![known.0] } else { vec![known.0, known.1] };
                Err(GpuOptimError::DimensionMismatch { expected, actual: given })
            }
            _ => Ok(()),
        }
    }

    /// Takes a shape for its own, from the first step on.
    pub fn belong_to(&mut self, shape: (usize, usize)) {
        self.shape = Some(shape);
    }

    /// The cells of a row.
    pub fn row(&mut self, row: usize) -> &mut [S] {
        let width = self.width();
        let place = *self.places.entry(row).or_insert_with(|| {
            let place = self.cells.len();
            self.cells.resize(place + width, S::default());
            place
        });
        &mut self.cells[place..place + width]
    }

    /// Every touched row with its cells, in no particular order.
    pub fn rows(&mut self) -> impl Iterator<Item = (usize, &mut [S])> {
        let mut rows: Vec<(usize, usize)> = self.places.iter().map(|(row, place)| (*place, *row)).collect();
        rows.sort_unstable();
        let width = self.width().max(1);
        let cells = self.cells.chunks_exact_mut(width);
        rows.into_iter().map(|(_, row)| row).zip(cells)
    }

    /// How many rows have been touched.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// For how many cells there is memory.
    #[cfg(test)]
    pub fn capacity(&self) -> usize {
        self.cells.capacity()
    }

    fn width(&self) -> usize {
        self.shape.map_or(1, |(_, columns)| columns)
    }
}
