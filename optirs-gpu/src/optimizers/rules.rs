//! What the classic surface adds to the standard rules.

use crate::rule::math;
use crate::rules::{AdamParams, AdamWParams, GpuAdagrad, LambParams};

/// Field by field: the weight decay, which Adam's default has at 0, is decoupled now.
impl From<AdamParams> for AdamWParams {
    fn from(params: AdamParams) -> Self {
        let AdamParams { learning_rate, beta1, beta2, epsilon, weight_decay } = params;
        Self { learning_rate, beta1, beta2, epsilon, weight_decay }
    }
}

/// Field by field: the epsilon stays Adam's.
impl From<AdamParams> for LambParams {
    fn from(params: AdamParams) -> Self {
        let AdamParams { learning_rate, beta1, beta2, epsilon, weight_decay } = params;
        Self { learning_rate, beta1, beta2, epsilon, weight_decay }
    }
}

impl GpuAdagrad {
    /// The learning rate of the next step, with its decay: `lr / (1 + steps · lr_decay)`.
    pub fn next_effective_lr(&self) -> f32 {
        let params = self.scheduled(0);
        let decayed = 1.0 + self.step_count() as f64 * math::decimal(params.lr_decay);
        (math::decimal(params.learning_rate) / decayed) as f32
    }
}
