//! The defaults of optax 0.2.8 (the signatures in `optax/_src/alias.py`). optax has no default learning rate, so it is left
//! as it is here.

use crate::rules::{
    AdaBeliefParams, AdagradParams, AdamParams, AdamWParams, AdamaxWParams, LambParams, LarsParams, LionParams,
    NovoGradParams, RmspropParams, SgdParams, YogiParams,
};

impl SgdParams {
    /// `optax.sgd`: without momentum. optax adds no weight decay of its own (`optax.add_decayed_weights`), and its momentum
    /// is never dampened.
    pub fn optax() -> Self {
        Self { momentum: 0.0, dampening: 0.0, weight_decay: 0.0, nesterov: false, ..Self::default() }
    }
}

impl AdamParams {
    /// `optax.adam`: b1 0.9, b2 0.999, eps 1e-8.
    pub fn optax() -> Self {
        Self { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weight_decay: 0.0, ..Self::default() }
    }
}

impl AdamWParams {
    /// `optax.adamw`: a weight decay of 1e-4, where torch has 1e-2.
    pub fn optax() -> Self {
        Self { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weight_decay: 1e-4, ..Self::default() }
    }
}

impl RmspropParams {
    /// `optax.rmsprop`: a decay of 0.9, where torch has 0.99. The formula is that of `eps_in_sqrt=False`; by default optax
    /// adds epsilon inside of the root, which this rule does not.
    pub fn optax() -> Self {
        Self { alpha: 0.9, epsilon: 1e-8, weight_decay: 0.0, momentum: 0.0, centered: false, ..Self::default() }
    }
}

impl AdagradParams {
    /// `optax.adagrad`: 0.1 accumulated at first, and an epsilon of 1e-7, which optax adds inside of the root and this rule
    /// outside.
    pub fn optax() -> Self {
        Self { lr_decay: 0.0, epsilon: 1e-7, weight_decay: 0.0, initial_accumulator: 0.1, ..Self::default() }
    }
}

impl LambParams {
    /// `optax.lamb`: an epsilon of 1e-6, no weight decay.
    pub fn optax() -> Self {
        Self { beta1: 0.9, beta2: 0.999, epsilon: 1e-6, weight_decay: 0.0, ..Self::default() }
    }
}

impl LionParams {
    /// `optax.lion`: a weight decay of 1e-3, where others have none.
    pub fn optax() -> Self {
        Self { beta1: 0.9, beta2: 0.99, weight_decay: 1e-3, ..Self::default() }
    }
}

impl AdaBeliefParams {
    /// `optax.adabelief`: both epsilons 1e-16.
    pub fn optax() -> Self {
        Self { beta1: 0.9, beta2: 0.999, epsilon: 1e-16, epsilon_root: 1e-16, weight_decay: 0.0, ..Self::default() }
    }
}

impl AdamaxWParams {
    /// `optax.adamaxw`: a weight decay of 1e-4.
    pub fn optax() -> Self {
        Self { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weight_decay: 1e-4, ..Self::default() }
    }
}

impl YogiParams {
    /// `optax.yogi`: an epsilon of 1e-3, and both moments begin at 1e-6.
    pub fn optax() -> Self {
        Self {
            beta1: 0.9,
            beta2: 0.999,
            epsilon: 1e-3,
            initial_accumulator: 1e-6,
            weight_decay: 0.0,
            ..Self::default()
        }
    }
}

impl NovoGradParams {
    /// `optax.novograd`: b1 0.9, b2 0.25, an epsilon of 1e-6.
    pub fn optax() -> Self {
        Self { beta1: 0.9, beta2: 0.25, epsilon: 1e-6, weight_decay: 0.0, ..Self::default() }
    }
}

impl LarsParams {
    /// `optax.lars`: a momentum of 0.9, a trust coefficient of 1e-3.
    pub fn optax() -> Self {
        Self {
            momentum: 0.9,
            trust_coefficient: 1e-3,
            epsilon: 0.0,
            weight_decay: 0.0,
            nesterov: false,
            ..Self::default()
        }
    }
}
