//! SGD on the rows that have a gradient.

use scirs2_core::ndarray::{Array1, Array2};

use super::rows::{Cells, RowStates};
use super::{CooGradient, CsrGradient};
use crate::GpuOptimError;
use crate::rule::check;

/// Hyper-parameters of [`SparseSgd`] and [`SparseSgdTable`].
#[derive(Debug, Clone, Copy)]
pub struct SparseSgdConfig {
    /// Learning rate: at least 0.
    pub lr: f64,
    /// L2 weight decay: at least 0. It acts on a parameter in the steps that have a gradient for it.
    pub weight_decay: f64,
    /// Decay of the momentum buffer, in 0 .. 1; with 0 there is none.
    pub momentum: f64,
    /// Whether the gradient is added to the decayed buffer once more; needs momentum.
    pub nesterov: bool,
}

impl Default for SparseSgdConfig {
    fn default() -> Self {
        Self { lr: 1e-2, weight_decay: 0.0, momentum: 0.0, nesterov: false }
    }
}

impl SparseSgdConfig {
    /// Checks every hyper-parameter.
    ///
    /// # Errors
    /// [`GpuOptimError::OutOfRange`] names the field that is not in its range; [`GpuOptimError::Requirement`] for Nesterov
    /// momentum without momentum.
    pub fn validate(&self) -> Result<(), GpuOptimError> {
        check::real_f64("lr", self.lr, 0.0.., "0.0..")?;
        check::real_f64("weight_decay", self.weight_decay, 0.0.., "0.0..")?;
        check::real_f64("momentum", self.momentum, 0.0..1.0, "0.0..1.0")?;
        let sensible = !self.nesterov || self.momentum > 0.0;
        check::requirement(sensible, "`nesterov` needs a `momentum` above 0")
    }
}

/// SGD for parameters of any shape, row by row.
#[derive(Debug, Clone)]
struct RowSgd {
    config: SparseSgdConfig,
    /// Momentum buffers; none without momentum.
    states: RowStates<f64>,
}

impl RowSgd {
    fn step<'a>(
        &mut self,
        params: &mut impl Cells,
        shape: (usize, usize),
        gradient: impl Iterator<Item = (usize, &'a [usize], &'a [f64])>,
    ) {
        self.states.belong_to(shape);
        let SparseSgdConfig { lr, weight_decay, momentum, nesterov } = self.config;
        for (row, columns, values) in gradient {
            let mut buffers = (momentum > 0.0).then(|| self.states.row(row));
            for (column, value) in columns.iter().zip(values) {
                let Some(param) = params.cell(row, *column) else { continue };
                let gradient = value + weight_decay * *param;
                let buffer = buffers.as_mut().and_then(|buffers| buffers.get_mut(*column));
                *param -= lr
                    * buffer.map_or(gradient, |buffer| {
                        *buffer = momentum * *buffer + gradient;
                        if nesterov { gradient + momentum * *buffer } else { *buffer }
                    });
            }
        }
    }
}

/// SGD for a vector with sparse gradients: memory and time follow what has been touched.
///
/// For each index that the gradient stores, with λ the weight decay and μ the momentum, torch's form: g ← g + λp,
/// b ← μb + g, p ← p − lr·b, or with Nesterov momentum p ← p − lr·(g + μb). The others stay as they are, buffers included:
/// each parameter moves as in a dense SGD over the steps that touch it.
#[derive(Debug, Clone)]
pub struct SparseSgd {
    rows: RowSgd,
}

impl SparseSgd {
    /// An optimizer before its first step, which checks the hyper-parameters.
    #[must_use]
    pub fn new(config: SparseSgdConfig) -> Self {
        Self { rows: RowSgd { config, states: RowStates::default() } }
    }

    /// The hyper-parameters.
    #[must_use]
    pub fn config(&self) -> &SparseSgdConfig {
        &self.rows.config
    }

    /// Steps the parameters that the gradient stores.
    ///
    /// # Errors
    /// What [`SparseSgdConfig::validate`] says; [`GpuOptimError::DimensionMismatch`] where parameters and gradient differ in
    /// length, or are not as long as at first. Nothing has changed then.
    pub fn step(&mut self, params: &mut Array1<f64>, grad: &CooGradient) -> Result<(), GpuOptimError> {
        let shape = (grad.dim(), 1);
        self.rows.config.validate()?;
        self.rows.states.check(params.shape(), shape)?;
        self.rows.step(params, shape, grad.stored());
        Ok(())
    }
}

/// [`SparseSgd`] for a matrix, of embeddings say.
#[derive(Debug, Clone)]
pub struct SparseSgdTable {
    rows: RowSgd,
}

impl SparseSgdTable {
    /// An optimizer before its first step, which checks the hyper-parameters.
    #[must_use]
    pub fn new(config: SparseSgdConfig) -> Self {
        Self { rows: RowSgd { config, states: RowStates::default() } }
    }

    /// The hyper-parameters.
    #[must_use]
    pub fn config(&self) -> &SparseSgdConfig {
        &self.rows.config
    }

    /// Steps the parameters that the gradient stores.
    ///
    /// # Errors
    /// As [`SparseSgd::step`].
    pub fn step(&mut self, params: &mut Array2<f64>, grad: &CsrGradient) -> Result<(), GpuOptimError> {
        self.rows.config.validate()?;
        self.rows.states.check(params.shape(), grad.shape())?;
        self.rows.step(params, grad.shape(), grad.stored());
        Ok(())
    }
}

#[cfg(test)]
#[path = "sgd_tests.rs"]
mod tests;
