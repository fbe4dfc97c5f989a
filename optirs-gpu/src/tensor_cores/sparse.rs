//! 2:4 sparsity: of four neighbours in a row two are kept, as sparse matrix units read them.

use scirs2_core::ndarray::{Array2, ArrayView2};

use crate::{GpuOptimError, magnitude};

/// Elements of a group, and how many of them are kept.
const GROUP: usize = 4;
const KEPT: usize = 2;

/// A matrix of which every group of four neighbours in a row has at most two elements that are not 0.
///
/// ```
/// use optirs_gpu::ndarray::array;
/// use optirs_gpu::tensor_cores::SparseTensorCoreMatrix;
///
/// let sparse = SparseTensorCoreMatrix::from_dense(array![[0.1f32, -3.0, 2.0, 0.5]].view())?;
/// assert_eq!(sparse.values(), [-3.0, 2.0]);
/// assert_eq!(sparse.to_dense(), array![[0.0, -3.0, 2.0, 0.0]]);
/// # Ok::<(), optirs_gpu::GpuOptimError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct SparseTensorCoreMatrix {
    rows: usize,
    columns: usize,
    /// Two of each group, in their order, row by row.
    values: Vec<f32>,
    /// Four bits of each group: the place of its first kept element, and of its second above.
    metadata: Vec<u8>,
}

impl SparseTensorCoreMatrix {
    /// Keeps those two of each group that are largest in magnitude, of equal ones the first. A NaN counts as larger than
    /// any number: it is kept, and not hidden by pruning.
    ///
    /// # Errors
    /// [`GpuOptimError::DimensionMismatch`] if the columns are no multiple of four.
    pub fn from_dense(matrix: ArrayView2<'_, f32>) -> Result<Self, GpuOptimError> {
        let (rows, columns) = matrix.dim();
        if columns % GROUP != 0 {
            let expected = vec![rows, columns.next_multiple_of(GROUP)];
            return Err(GpuOptimError::DimensionMismatch { expected, actual: vec![rows, columns] });
        }
        let elements: Vec<f32> = matrix.iter().copied().collect();
        let mut values = Vec::with_capacity(elements.len() / KEPT);
        let mut metadata = Vec::with_capacity(elements.len() / GROUP);
        for group in elements.as_chunks::<GROUP>().0 {
            let [first, second] = largest(group);
            values.extend([group[first], group[second]]);
            metadata.push((first | second << 2) as u8);
        }
        Ok(Self { rows, columns, values, metadata })
    }

    /// Rows and columns of the whole matrix.
    #[must_use]
    pub const fn shape(&self) -> (usize, usize) {
        (self.rows, self.columns)
    }

    /// The kept elements, two of each group, row by row.
    #[must_use]
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Of each group, row by row, where in it the kept elements stand: the first, 0 ..= 2, in bits 0 and 1, the second,
    /// always further on, in bits 2 and 3. This is PTX's ordered metadata, of which a word takes eight groups from the
    /// lowest bits on.
    #[must_use]
    pub fn metadata(&self) -> &[u8] {
        &self.metadata
    }

    /// The whole matrix, with 0 for what was not kept.
    #[must_use]
    pub fn to_dense(&self) -> Array2<f32> {
        let mut dense = Array2::zeros((self.rows, self.columns));
        let groups = dense.as_slice_mut().unwrap_or_default().as_chunks_mut::<GROUP>().0;
        for ((group, places), kept) in groups.iter_mut().zip(&self.metadata).zip(self.values.as_chunks::<KEPT>().0) {
            group[usize::from(places & 3)] = kept[0];
            group[usize::from(places >> 2 & 3)] = kept[1];
        }
        dense
    }
}

/// The places of the two largest, ascending.
fn largest(group: &[f32; GROUP]) -> [usize; KEPT] {
    let mut places = [0, 1, 2, 3];
    places.sort_by_key(|place: &usize| core::cmp::Reverse(magnitude::rank(group[*place])));
    [places[0].min(places[1]), places[0].max(places[1])]
}
