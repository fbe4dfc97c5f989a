//! Matrices as matrix units read them: padded to whole tiles, in rows or columns.

use scirs2_core::ndarray::{Array2, ArrayView2};

use crate::GpuOptimError;

/// Which elements of a matrix lie beside each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MatrixLayout {
    /// Those of a row.
    RowMajor,
    /// Those of a column.
    ColumnMajor,
}

impl MatrixLayout {
    /// Where an element lies in a matrix of `(rows, columns)`.
    const fn offset(self, (row, column): (usize, usize), (rows, columns): (usize, usize)) -> usize {
        match self {
            Self::RowMajor => row * columns + column,
            Self::ColumnMajor => column * rows + row,
        }
    }
}

/// The elements of a matrix in a layout, with zeros up to `padded` rows and columns.
///
/// # Errors
/// [`GpuOptimError::DimensionMismatch`] if the matrix is larger than `padded`;
/// [`GpuOptimError::UnsupportedOperation`] if an address does not hold so many elements;
/// [`GpuOptimError::OutOfMemory`] if the host does not.
pub fn pack(
    matrix: ArrayView2<'_, f32>,
    layout: MatrixLayout,
    padded: (usize, usize),
) -> Result<Vec<f32>, GpuOptimError> {
    let (rows, columns) = matrix.dim();
    fits((rows, columns), padded)?;
    let mut packed: Vec<f32> = Vec::new();
    let length = length(padded)?;
    packed
        .try_reserve_exact(length)
        .map_err(|error| GpuOptimError::OutOfMemory(format!("{length} elements of a packed matrix: {error}")))?;
    packed.resize(length, 0.0);
    for (at, &value) in matrix.indexed_iter() {
        if let Some(slot) = packed.get_mut(layout.offset(at, padded)) {
            *slot = value;
        }
    }
    Ok(packed)
}

/// The first `shape` rows and columns of what [`pack`] made.
///
/// # Errors
/// [`GpuOptimError::DimensionMismatch`] if `shape` is larger than `padded`, or `packed` is not as long as `padded` says;
/// [`GpuOptimError::UnsupportedOperation`] as [`pack`].
pub fn unpack(
    packed: &[f32],
    layout: MatrixLayout,
    padded: (usize, usize),
    shape: (usize, usize),
) -> Result<Array2<f32>, GpuOptimError> {
    fits(shape, padded)?;
    let expected = length(padded)?;
    if packed.len() != expected {
        return Err(GpuOptimError::DimensionMismatch { expected: vec![expected], actual: vec![packed.len()] });
    }
    Ok(Array2::from_shape_fn(shape, |at| packed.get(layout.offset(at, padded)).copied().unwrap_or(f32::NAN)))
}

fn fits(shape: (usize, usize), padded: (usize, usize)) -> Result<(), GpuOptimError> {
    if shape.0 <= padded.0 && shape.1 <= padded.1 {
        Ok(())
    } else {
        let (expected, actual) = (vec![padded.0, padded.1], vec![shape.0, shape.1]);
        Err(GpuOptimError::DimensionMismatch { expected, actual })
    }
}

fn length((rows, columns): (usize, usize)) -> Result<usize, GpuOptimError> {
    let elements = rows.checked_mul(columns).filter(|&elements| elements <= isize::MAX as usize / 4);
    elements.ok_or_else(|| {
        GpuOptimError::UnsupportedOperation(format!("a matrix of {rows} x {columns}: no memory addresses that many"))
    })
}
