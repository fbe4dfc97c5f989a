//! Compressed rows: for each row that stores something, its columns and a value for each.
//!
//! Rows that store nothing are not kept (doubly compressed: Buluç & Gilbert, "On the representation and multiplication of
//! hypersparse matrices", IPDPS 2008), so that a gradient of ten million rows costs what its entries cost.

use super::CooGradient;
use super::coo::increasing;
use crate::GpuOptimError;

/// A sparse gradient of a matrix. Columns of a row are strictly increasing; a stored 0 is a gradient, and its parameter takes
/// part in a step.
#[derive(Debug, Clone, PartialEq)]
pub struct CsrGradient {
    /// The rows that store something, strictly increasing.
    stored_rows: Vec<usize>,
    /// Where each of them ends in the entries; it begins where the one before it ends.
    row_ends: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
    shape: (usize, usize),
}

impl CsrGradient {
    /// The entries of row r are those from `row_offsets[r]` to `row_offsets[r + 1]`, its columns strictly increasing.
    ///
    /// # Errors
    /// [`GpuOptimError::DimensionMismatch`] unless there is one more offset than rows, and a value for each column;
    /// [`GpuOptimError::InvalidState`] for offsets that do not begin at 0, decrease or do not end at the number of entries,
    /// columns that do not increase or are out of range, or a shape of more elements than a `usize` counts.
    pub fn new(
        row_offsets: Vec<usize>,
        col_indices: Vec<usize>,
        values: Vec<f64>,
        shape: (usize, usize),
    ) -> Result<Self, GpuOptimError> {
        if shape.0.checked_add(1) != Some(row_offsets.len()) {
            let expected = vec![shape.0.saturating_add(1)];
            return Err(GpuOptimError::DimensionMismatch { expected, actual: vec![row_offsets.len()] });
        }
        if let (Some(first), Some(last)) = (row_offsets.first(), row_offsets.last())
            && (*first, *last) != (0, col_indices.len())
        {
            return Err(GpuOptimError::InvalidState(format!(
                "row offsets go from {first} to {last}: they must go from 0 to the number of entries, {}",
                col_indices.len()
            )));
        }
        let mut gradient = Self { columns: col_indices, values, ..Self::empty(shape) };
        for (row, pair) in row_offsets.windows(2).enumerate() {
            if pair[1] < pair[0] {
                return Err(GpuOptimError::InvalidState(format!(
                    "row offsets fall from {} to {} behind row {row}: they must not decrease",
                    pair[0], pair[1]
                )));
            }
            if pair[1] > pair[0] {
                gradient.stored_rows.push(row);
                gradient.row_ends.push(pair[1]);
            }
        }
        gradient.validate()?;
        Ok(gradient)
    }

    /// A gradient that stores nothing.
    #[must_use]
    pub fn empty(shape: (usize, usize)) -> Self {
        Self { stored_rows: Vec::new(), row_ends: Vec::new(), columns: Vec::new(), values: Vec::new(), shape }
    }

    /// Checks what [`CsrGradient::new`] does, which holds for every gradient that there is.
    ///
    /// # Errors
    /// As [`CsrGradient::new`].
    pub fn validate(&self) -> Result<(), GpuOptimError> {
        let (columns, values) = (self.columns.len(), self.values.len());
        if columns != values {
            return Err(GpuOptimError::DimensionMismatch { expected: vec![columns], actual: vec![values] });
        }
        if columns > 0 {
            elements(self.shape)?;
        }
        increasing(&self.stored_rows, self.shape.0, "row")?;
        self.stored().try_for_each(|(_, columns, _)| increasing(columns, self.shape.1, "column"))
    }

    /// Rows and columns.
    #[must_use]
    pub fn shape(&self) -> (usize, usize) {
        self.shape
    }

    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.shape.0
    }

    /// Number of columns.
    #[must_use]
    pub fn cols(&self) -> usize {
        self.shape.1
    }

    /// How many values are stored.
    #[must_use]
    pub fn nnz(&self) -> usize {
        self.columns.len()
    }

    /// Columns and values of a row.
    ///
    /// # Errors
    /// [`GpuOptimError::InvalidState`] for a row that there is not.
    pub fn row(&self, r: usize) -> Result<(&[usize], &[f64]), GpuOptimError> {
        if r >= self.shape.0 {
            return Err(GpuOptimError::InvalidState(format!(
                "row {r} is out of range: it must be below {}",
                self.shape.0
            )));
        }
        Ok(self.stored_rows.binary_search(&r).map_or((&[], &[]), |place| self.entries(place)))
    }

    /// Row, column and value of each entry.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        self.stored().flat_map(|(row, columns, values)| {
            columns.iter().zip(values).map(move |(column, value)| (row, *column, *value))
        })
    }

    /// The matrix as a vector, row by row.
    #[must_use]
    pub fn to_coo(&self) -> CooGradient {
        let (rows, columns) = self.shape;
        let indices = self.iter().map(|(row, column, _)| row * columns + column).collect();
        // Only a gradient without entries has a shape that overflows.
        CooGradient::new(indices, self.values.clone(), rows.saturating_mul(columns))
            .unwrap_or_else(|_| CooGradient::empty(rows.saturating_mul(columns)))
    }

    /// The vector as a matrix, row by row.
    ///
    /// # Errors
    /// [`GpuOptimError::DimensionMismatch`] unless the vector has as many elements as the matrix;
    /// [`GpuOptimError::InvalidState`] for a shape of more elements than a `usize` counts.
    pub fn from_coo(coo: &CooGradient, shape: (usize, usize)) -> Result<Self, GpuOptimError> {
        let (expected, columns) = (elements(shape)?, shape.1);
        if coo.dim() != expected {
            return Err(GpuOptimError::DimensionMismatch { expected: vec![expected], actual: vec![coo.dim()] });
        }
        let mut gradient = Self::empty(shape);
        for (index, value) in coo.iter() {
            // There is an index, so there are columns.
            let (row, column) = (index / columns, index % columns);
            gradient.columns.push(column);
            gradient.values.push(value);
            let end = gradient.columns.len();
            match (gradient.stored_rows.last(), gradient.row_ends.last_mut()) {
                (Some(last), Some(row_end)) if *last == row => *row_end = end,
                _ => {
                    gradient.stored_rows.push(row);
                    gradient.row_ends.push(end);
                }
            }
        }
        Ok(gradient)
    }

    /// The rows that store something, with their columns and values.
    pub(super) fn stored(&self) -> impl Iterator<Item = (usize, &[usize], &[f64])> {
        self.stored_rows.iter().enumerate().map(|(place, row)| {
            let (columns, values) = self.entries(place);
            (*row, columns, values)
        })
    }

    /// The entries of a stored row.
    fn entries(&self, place: usize) -> (&[usize], &[f64]) {
        let begin = place.checked_sub(1).map_or(0, |before| self.row_ends[before]);
        let entries = begin..self.row_ends[place];
        (&self.columns[entries.clone()], &self.values[entries])
    }
}

fn elements(shape: (usize, usize)) -> Result<usize, GpuOptimError> {
    let overflow =
        || GpuOptimError::InvalidState(format!("a matrix of {} × {} has too many elements", shape.0, shape.1));
    shape.0.checked_mul(shape.1).ok_or_else(overflow)
}

#[cfg(test)]
#[path = "csr_tests.rs"]
mod tests;
