//! The defaults of `torch.optim`, as of PyTorch 2.15: the signatures in `torch/optim/*.py`.

use crate::rules::{
    AdadeltaParams, AdagradParams, AdamParams, AdamWParams, AdamaxParams, AmsGradParams, AsgdParams, NAdamParams,
    RAdamParams, RmspropParams, RpropParams, SgdParams,
};

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

impl AmsGradParams {
    /// `torch.optim.Adam(amsgrad=True)`. `AdamW(amsgrad=True)` has `decoupled_weight_decay`, and a weight decay of 1e-2.
    pub fn torch() -> Self {
        Self {
            learning_rate: 1e-3,
            beta1: 0.9,
            beta2: 0.999,
            epsilon: 1e-8,
            weight_decay: 0.0,
            decoupled_weight_decay: false,
        }
    }
}

impl NAdamParams {
    /// `torch.optim.NAdam`: 2e-3, betas (0.9, 0.999), a momentum decay of 4e-3.
    pub fn torch() -> Self {
        Self {
            learning_rate: 2e-3,
            beta1: 0.9,
            beta2: 0.999,
            epsilon: 1e-8,
            weight_decay: 0.0,
            momentum_decay: 4e-3,
            decoupled_weight_decay: false,
        }
    }
}

impl RAdamParams {
    /// `torch.optim.RAdam`: as Adam.
    pub fn torch() -> Self {
        Self {
            learning_rate: 1e-3,
            beta1: 0.9,
            beta2: 0.999,
            epsilon: 1e-8,
            weight_decay: 0.0,
            decoupled_weight_decay: false,
        }
    }
}

impl AdamaxParams {
    /// `torch.optim.Adamax`: 2e-3, betas (0.9, 0.999).
    pub fn torch() -> Self {
        Self { learning_rate: 2e-3, beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weight_decay: 0.0 }
    }
}

impl AdadeltaParams {
    /// `torch.optim.Adadelta`: a learning rate of 1, rho 0.9, eps 1e-6.
    pub fn torch() -> Self {
        Self { learning_rate: 1.0, rho: 0.9, epsilon: 1e-6, weight_decay: 0.0 }
    }
}

impl RpropParams {
    /// `torch.optim.Rprop`: 1e-2, etas (0.5, 1.2), step sizes from 1e-6 to 50.
    pub fn torch() -> Self {
        Self { learning_rate: 1e-2, eta_minus: 0.5, eta_plus: 1.2, step_min: 1e-6, step_max: 50.0 }
    }
}

impl AsgdParams {
    /// `torch.optim.ASGD`: 1e-2, lambd 1e-4, alpha 0.75, t0 1e6.
    pub fn torch() -> Self {
        Self { learning_rate: 1e-2, lambd: 1e-4, alpha: 0.75, t0: 1e6, weight_decay: 0.0 }
    }
}
