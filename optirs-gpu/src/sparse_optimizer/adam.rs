//! Adam on the rows that have a gradient.

use scirs2_core::ndarray::{Array1, Array2};

use super::dormancy::{Moments, Update};
use super::rows::{Cells, RowStates};
use super::{CooGradient, CsrGradient};
use crate::GpuOptimError;
use crate::rule::check;

/// What becomes of a parameter in steps without a gradient for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LazyAdamMode {
    /// Nothing: its moments and its value stay. `torch.optim.SparseAdam`.
    Lazy,
    /// What `torch.optim.Adam` does with a gradient of 0: moments decay and move the value on, when the row is touched
    /// again, or at the call of `catch_up`.
    DormancyDecay,
}

/// Hyper-parameters of [`SparseAdam`] and [`SparseAdamTable`].
#[derive(Debug, Clone, Copy)]
pub struct SparseAdamConfig {
    /// Learning rate: at least 0.
    pub lr: f64,
    /// Decay of the first moment, in 0 .. 1.
    pub beta1: f64,
    /// Decay of the second moment, in 0 .. 1.
    pub beta2: f64,
    /// Added to the root of the second moment: at least 0. As torch has it, before the bias correction in the lazy mode, and
    /// behind it in the other.
    pub epsilon: f64,
    /// Decoupled weight decay, times the learning rate: at least 0. It acts on a parameter in the steps that have a gradient
    /// for it, in either mode, so that rows that are hardly used are not worn away.
    pub weight_decay: f64,
    /// What happens without a gradient.
    pub mode: LazyAdamMode,
}

impl Default for SparseAdamConfig {
    fn default() -> Self {
        Self { lr: 1e-3, beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weight_decay: 0.0, mode: LazyAdamMode::Lazy }
    }
}

impl SparseAdamConfig {
    /// Checks every hyper-parameter.
    ///
    /// # Errors
    /// [`GpuOptimError::OutOfRange`] names the field that is not in its range.
    pub fn validate(&self) -> Result<(), GpuOptimError> {
        check::real_f64("lr", self.lr, 0.0.., "0.0..")?;
        check::real_f64("beta1", self.beta1, 0.0..1.0, "0.0..1.0")?;
        check::real_f64("beta2", self.beta2, 0.0..1.0, "0.0..1.0")?;
        check::real_f64("epsilon", self.epsilon, 0.0.., "0.0..")?;
        check::real_f64("weight_decay", self.weight_decay, 0.0.., "0.0..")
    }
}

/// Adam for parameters of any shape, row by row.
#[derive(Debug, Clone)]
struct RowAdam {
    config: SparseAdamConfig,
    steps: usize,
    states: RowStates<Moments>,
}

impl RowAdam {
    fn new(config: SparseAdamConfig) -> Self {
        Self { config, steps: 0, states: RowStates::default() }
    }

    /// A step over parameters of that shape, which the gradient's rows lie in.
    fn step<'a>(
        &mut self,
        params: &mut impl Cells,
        shape: (usize, usize),
        gradient: impl Iterator<Item = (usize, &'a [usize], &'a [f64])>,
    ) {
        self.states.belong_to(shape);
        self.steps += 1;
        let update = Update::new(&self.config, self.steps);
        for (row, columns, values) in gradient {
            let states = self.states.row(row);
            for (column, value) in columns.iter().zip(values) {
                if let (Some(param), Some(moments)) = (params.cell(row, *column), states.get_mut(*column)) {
                    if self.config.mode == LazyAdamMode::DormancyDecay {
                        moments.catch_up(&self.config, self.steps - 1, param);
                    }
                    update.step(moments, *value, param);
                }
            }
        }
    }

    /// The steps that rows without a gradient have yet to take.
    fn catch_up(&mut self, params: &mut impl Cells) {
        if self.config.mode == LazyAdamMode::Lazy {
            return;
        }
        for (row, states) in self.states.rows() {
            for (column, moments) in states.iter_mut().enumerate() {
                if let Some(param) = params.cell(row, column) {
                    moments.catch_up(&self.config, self.steps, param);
                }
            }
        }
    }
}

/// Adam (Kingma & Ba, ICLR 2015) for a vector with sparse gradients: memory and time follow what has been touched.
///
/// For each index that the gradient stores, with the number t of steps so far, whether they touched it or not:
/// m ← β₁m + (1 − β₁)g, v ← β₂v + (1 − β₂)g², p ← p − lr·λ·p − lr·√(1 − β₂ᵗ)/(1 − β₁ᵗ) · m/(√v + ε). [`LazyAdamMode`] says
/// what happens to the others.
#[derive(Debug, Clone)]
pub struct SparseAdam {
    rows: RowAdam,
}

impl SparseAdam {
    /// An optimizer before its first step, which checks the hyper-parameters.
    #[must_use]
    pub fn new(config: SparseAdamConfig) -> Self {
        Self { rows: RowAdam::new(config) }
    }

    /// Steps taken, those with empty gradients included.
    #[must_use]
    pub fn global_step(&self) -> usize {
        self.rows.steps
    }

    /// The hyper-parameters.
    #[must_use]
    pub fn config(&self) -> &SparseAdamConfig {
        &self.rows.config
    }

    /// How many parameters have been touched, and have a state.
    #[must_use]
    pub fn touched(&self) -> usize {
        self.rows.states.len()
    }

    /// Steps the parameters that the gradient stores.
    ///
    /// # Errors
    /// [`GpuOptimError::OutOfRange`] for a hyper-parameter outside its range; [`GpuOptimError::DimensionMismatch`] where
    /// parameters and gradient differ in length, or are not as long as at first. Nothing has changed then.
    pub fn step(&mut self, params: &mut Array1<f64>, grad: &CooGradient) -> Result<(), GpuOptimError> {
        let shape = (grad.dim(), 1);
        self.rows.config.validate()?;
        self.rows.states.check(params.shape(), shape)?;
        self.rows.step(params, shape, grad.stored());
        Ok(())
    }

    /// In [`LazyAdamMode::DormancyDecay`]: takes the steps that parameters without a gradient have yet to take, so that all
    /// are where Adam with gradients of 0 would have them. Call it before parameters are read, or saved. Its cost follows
    /// the touched parameters. In the lazy mode there is nothing to do.
    ///
    /// # Errors
    /// [`GpuOptimError::DimensionMismatch`] for parameters of another length than those that were stepped.
    pub fn catch_up(&mut self, params: &mut Array1<f64>) -> Result<(), GpuOptimError> {
        self.rows.states.check(params.shape(), (params.len(), 1))?;
        self.rows.catch_up(params);
        Ok(())
    }
}

/// [`SparseAdam`] for a matrix, of embeddings say.
#[derive(Debug, Clone)]
pub struct SparseAdamTable {
    rows: RowAdam,
}

impl SparseAdamTable {
    /// An optimizer before its first step, which checks the hyper-parameters.
    #[must_use]
    pub fn new(config: SparseAdamConfig) -> Self {
        Self { rows: RowAdam::new(config) }
    }

    /// Steps taken, those with empty gradients included.
    #[must_use]
    pub fn global_step(&self) -> usize {
        self.rows.steps
    }

    /// The hyper-parameters.
    #[must_use]
    pub fn config(&self) -> &SparseAdamConfig {
        &self.rows.config
    }

    /// How many rows have been touched, and have states.
    #[must_use]
    pub fn touched_rows(&self) -> usize {
        self.rows.states.len()
    }

    /// Steps the parameters that the gradient stores; others of the same row count as without a gradient.
    ///
    /// # Errors
    /// As [`SparseAdam::step`].
    pub fn step(&mut self, params: &mut Array2<f64>, grad: &CsrGradient) -> Result<(), GpuOptimError> {
        self.rows.config.validate()?;
        self.rows.states.check(params.shape(), grad.shape())?;
        self.rows.step(params, grad.shape(), grad.stored());
        Ok(())
    }

    /// As [`SparseAdam::catch_up`].
    ///
    /// # Errors
    /// As [`SparseAdam::catch_up`].
    pub fn catch_up(&mut self, params: &mut Array2<f64>) -> Result<(), GpuOptimError> {
        self.rows.states.check(params.shape(), params.dim())?;
        self.rows.catch_up(params);
        Ok(())
    }
}

#[cfg(test)]
#[path = "adam_tests.rs"]
mod tests;
