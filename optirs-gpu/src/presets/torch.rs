//! The defaults of `torch.optim`, as of PyTorch 2.15: the signatures in `torch/optim/*.py`.

use crate::{AdagradParams, AdamParams, AdamWParams, RmspropParams, SgdParams};

impl SgdParams {
    /// `torch.optim.SGD`: a learning rate of 1e-3, without momentum. (Until PyTorch 2.0 there was no default rate.)
    pub fn torch() -> Self {
        Self { learning_rate: 1e-3, momentum: 0.0, dampening: 0.0, weight_decay: 0.0, nesterov: false }
    }
}

impl AdamParams {
    /// `torch.optim.Adam`: 1e-3, betas (0.9, 0.999), eps 1e-8, no weight decay.
    pub fn torch() -> Self {
        Self { learning_rate: 1e-3, beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weight_decay: 0.0 }
    }
}

impl AdamWParams {
    /// `torch.optim.AdamW`: as Adam, with a weight decay of 1e-2.
    pub fn torch() -> Self {
        Self { learning_rate: 1e-3, beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weight_decay: 1e-2 }
    }
}

impl RmspropParams {
    /// `torch.optim.RMSprop`: 1e-2, alpha 0.99, eps 1e-8, without momentum.
    pub fn torch() -> Self {
        Self { learning_rate: 1e-2, alpha: 0.99, epsilon: 1e-8, weight_decay: 0.0, momentum: 0.0, centered: false }
    }
}

impl AdagradParams {
    /// `torch.optim.Adagrad`: 1e-2, eps 1e-10, nothing accumulated at first.
    pub fn torch() -> Self {
        Self { learning_rate: 1e-2, lr_decay: 0.0, epsilon: 1e-10, weight_decay: 0.0, initial_accumulator: 0.0 }
    }
}
