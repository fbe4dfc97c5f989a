//! The defaults of burn's optimizers (`crates/burn-optim/src/optim/*.rs`, `#[config(default = …)]`, as of 2026). burn takes
//! the learning rate at each step, so it is left as it is here.

use crate::rules::{
    AdagradParams, AdamParams, AdamWParams, AdanParams, AmsGradParams, LambParams, LionParams, RmspropParams, SgdParams,
};

/// Where torch has 1e-8 or 1e-10.
const EPSILON: f32 = 1e-5;

impl SgdParams {
    /// `SgdConfig`: without momentum. Of `MomentumConfig` it has the dampening, 0.1, which means something only beside a
    /// momentum: `SgdParams { momentum: 0.9, ..SgdParams::burn() }` is `MomentumConfig::new()`. Nesterov momentum is
    /// refused here while the dampening is not 0.
    pub fn burn() -> Self {
        Self { momentum: 0.0, dampening: 0.1, weight_decay: 0.0, nesterov: false, ..Self::default() }
    }
}

impl AdamParams {
    /// `AdamConfig`: an epsilon of 1e-5.
    pub fn burn() -> Self {
        Self { beta1: 0.9, beta2: 0.999, epsilon: EPSILON, weight_decay: 0.0, ..Self::default() }
    }
}

impl AdamWParams {
    /// `AdamWConfig`: an epsilon of 1e-5, and a weight decay of 1e-4.
    pub fn burn() -> Self {
        Self { beta1: 0.9, beta2: 0.999, epsilon: EPSILON, weight_decay: 1e-4, ..Self::default() }
    }
}

impl RmspropParams {
    /// `RmsPropConfig`: a momentum of 0.9, and an epsilon of 1e-5.
    pub fn burn() -> Self {
        Self { alpha: 0.99, epsilon: EPSILON, weight_decay: 0.0, momentum: 0.9, centered: false, ..Self::default() }
    }
}

impl AdagradParams {
    /// `AdaGradConfig`: an epsilon of 1e-5.
    pub fn burn() -> Self {
        Self { lr_decay: 0.0, epsilon: EPSILON, weight_decay: 0.0, initial_accumulator: 0.0, ..Self::default() }
    }
}

impl LambParams {
    /// `LambConfig`: an epsilon of 1e-6, no weight decay.
    pub fn burn() -> Self {
        Self { beta1: 0.9, beta2: 0.999, epsilon: 1e-6, weight_decay: 0.0, ..Self::default() }
    }
}

impl AmsGradParams {
    /// `AdamConfig::new().with_amsgrad(true)`: an epsilon of 1e-5.
    pub fn burn() -> Self {
        Self {
            beta1: 0.9,
            beta2: 0.999,
            epsilon: EPSILON,
            weight_decay: 0.0,
            decoupled_weight_decay: false,
            ..Self::default()
        }
    }
}

impl AdanParams {
    /// `AdanConfig`: betas 0.98, 0.92 and 0.99, an epsilon of 1e-8, no weight decay.
    pub fn burn() -> Self {
        Self {
            beta1: 0.98,
            beta2: 0.92,
            beta3: 0.99,
            epsilon: 1e-8,
            weight_decay: 0.0,
            proximal: true,
            ..Self::default()
        }
    }
}

impl LionParams {
    /// `LionConfig`: betas 0.9 and 0.99, no weight decay.
    pub fn burn() -> Self {
        Self { beta1: 0.9, beta2: 0.99, weight_decay: 0.0, ..Self::default() }
    }
}
