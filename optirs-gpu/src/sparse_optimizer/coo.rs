//! Coordinate form: the indices that are stored, and a value for each.

use super::CsrGradient;
use crate::GpuOptimError;

/// A sparse gradient of a vector. Indices are strictly increasing, so that each is stored once; a stored 0 is a gradient,
/// and its parameter takes part in a step.
#[derive(Debug, Clone, PartialEq)]
pub struct CooGradient {
    indices: Vec<usize>,
    values: Vec<f64>,
    dim: usize,
}

impl CooGradient {
    /// Of indices in strictly increasing order.
    ///
    /// # Errors
    /// [`GpuOptimError::DimensionMismatch`] where there are not as many values as indices; [`GpuOptimError::InvalidState`] for
    /// an index that is not below `dim`, or not above the one before it.
    pub fn new(indices: Vec<usize>, values: Vec<f64>, dim: usize) -> Result<Self, GpuOptimError> {
        let gradient = Self { indices, values, dim };
        gradient.validate()?;
        Ok(gradient)
    }

    /// Of indices in any order. Values of one index are summed, in the order given.
    ///
    /// # Errors
    /// As [`CooGradient::new`], but for the order.
    pub fn new_unsorted(indices: Vec<usize>, values: Vec<f64>, dim: usize) -> Result<Self, GpuOptimError> {
        if indices.len() != values.len() {
            return Err(GpuOptimError::DimensionMismatch { expected: vec![indices.len()], actual: vec![values.len()] });
        }
        let mut entries: Vec<_> = indices.into_iter().zip(values).collect();
        // Stable, so that sums do not depend on how it sorts.
        entries.sort_by_key(|(index, _)| *index);
        let mut gradient = Self::empty(dim);
        for (index, value) in entries {
            match (gradient.indices.last(), gradient.values.last_mut()) {
                (Some(last), Some(sum)) if *last == index => *sum += value,
                _ => {
                    gradient.indices.push(index);
                    gradient.values.push(value);
                }
            }
        }
        gradient.validate()?;
        Ok(gradient)
    }

    /// A gradient that stores nothing.
    #[must_use]
    pub fn empty(dim: usize) -> Self {
        Self { indices: Vec::new(), values: Vec::new(), dim }
    }

    /// Checks what [`CooGradient::new`] does, which holds for every gradient that there is.
    ///
    /// # Errors
    /// As [`CooGradient::new`].
    pub fn validate(&self) -> Result<(), GpuOptimError> {
        let (indices, values) = (self.indices.len(), self.values.len());
        if indices != values {
            return Err(GpuOptimError::DimensionMismatch { expected: vec![indices], actual: vec![values] });
        }
        increasing(&self.indices, self.dim, "index")
    }

    /// The length of the vector.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// How many values are stored.
    #[must_use]
    pub fn nnz(&self) -> usize {
        self.indices.len()
    }

    /// Whether nothing is stored.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.indices.is_empty()
    }

    /// The indices, strictly increasing.
    #[must_use]
    pub fn indices(&self) -> &[usize] {
        &self.indices
    }

    /// A value for each index.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The entries as rows of one column.
    pub(super) fn stored(&self) -> impl Iterator<Item = (usize, &[usize], &[f64])> {
        self.indices.iter().zip(self.values.chunks_exact(1)).map(|(index, value)| (*index, [0].as_slice(), value))
    }

    /// Index and value of each entry.
    pub fn iter(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.indices.iter().copied().zip(self.values.iter().copied())
    }
}

impl From<&CsrGradient> for CooGradient {
    fn from(gradient: &CsrGradient) -> Self {
        gradient.to_coo()
    }
}

/// Checks that indices are strictly increasing and below a limit.
pub(super) fn increasing(indices: &[usize], limit: usize, what: &str) -> Result<(), GpuOptimError> {
    if let Some(pair) = indices.windows(2).find(|pair| pair[0] >= pair[1]) {
        return Err(GpuOptimError::InvalidState(format!(
            "{what} {} follows {}: they must be strictly increasing; `CooGradient::new_unsorted` sorts, and sums duplicates",
            pair[1], pair[0]
        )));
    }
    match indices.last() {
        Some(last) if *last >= limit => {
            Err(GpuOptimError::InvalidState(format!("{what} {last} is out of range: it must be below {limit}")))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
#[path = "coo_tests.rs"]
mod tests;
