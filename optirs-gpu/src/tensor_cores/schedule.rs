//! The order of products, by what the device is busy with.

use super::{GemmPlan, TensorCoreOptimizer};
use crate::GpuOptimError;

/// How busy a device is, as the caller measured it (NVML, `nvidia-smi`); each a part of 1, and `None` where unknown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HardwareUtilizationState {
    /// Of the time that matrix units could work.
    pub tensor_core_utilization: Option<f32>,
    /// Of the bandwidth of device memory.
    pub bandwidth_utilization: Option<f32>,
}

impl HardwareUtilizationState {
    /// Nothing is known, and nothing is assumed.
    #[must_use]
    pub const fn unknown_baseline() -> Self {
        Self { tensor_core_utilization: None, bandwidth_utilization: None }
    }
}

impl TensorCoreOptimizer {
    /// The order in which to start products that do not depend on each other, as places in `plans`: where memory is busier
    /// than the matrix units those with most operations per byte first, where the matrix units are busier those with fewest.
    /// Where either is unknown, or both are the same, and among equal ones, the order given.
    ///
    /// # Errors
    /// [`GpuOptimError::OutOfRange`] for a utilization outside 0 ..= 1.
    pub fn schedule(&self, plans: &[GemmPlan], state: &HardwareUtilizationState) -> Result<Vec<usize>, GpuOptimError> {
        let fields = [
            ("tensor_core_utilization", state.tensor_core_utilization),
            ("bandwidth_utilization", state.bandwidth_utilization),
        ];
        for (field, value) in fields {
            if let Some(value) = value.filter(|value| !(0.0..=1.0).contains(value)) {
                return Err(GpuOptimError::OutOfRange { field, value: f64::from(value), range: "0.0..=1.0" });
            }
        }
        let mut order: Vec<(usize, f64)> = plans.iter().map(GemmPlan::intensity).enumerate().collect();
        match (state.tensor_core_utilization, state.bandwidth_utilization) {
            (Some(units), Some(memory)) if memory > units => order.sort_by(|a, b| b.1.total_cmp(&a.1)),
            (Some(units), Some(memory)) if memory < units => order.sort_by(|a, b| a.1.total_cmp(&b.1)),
            _ => {}
        }
        Ok(order.into_iter().map(|(place, _)| place).collect())
    }
}
