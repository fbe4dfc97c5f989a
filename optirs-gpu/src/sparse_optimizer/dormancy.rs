//! Adam on one parameter: a step, and the steps with a gradient of 0 that are taken later.

use super::{LazyAdamMode, SparseAdamConfig};

/// A parameter's state.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Moments {
    first: f64,
    second: f64,
    /// The step that they are of; 0 before the first.
    step: usize,
}

/// What is the same for all parameters in a step.
pub(super) struct Update {
    beta1: f64,
    beta2: f64,
    step: usize,
    /// lr·√(1 − β₂ᵗ)/(1 − β₁ᵗ)
    rate: f64,
    /// Added to √v.
    epsilon: f64,
    /// lr·λ
    decay: f64,
}

impl Update {
    pub(super) fn new(config: &SparseAdamConfig, step: usize) -> Self {
        let SparseAdamConfig { lr, beta1, beta2, epsilon, weight_decay, mode } = *config;
        let root = (1.0 - power(beta2, step)).sqrt();
        let epsilon = match mode {
            LazyAdamMode::Lazy => epsilon,
            LazyAdamMode::DormancyDecay => epsilon * root,
        };
        Self { beta1, beta2, step, rate: lr * root / (1.0 - power(beta1, step)), epsilon, decay: lr * weight_decay }
    }

    pub(super) fn step(&self, moments: &mut Moments, gradient: f64, param: &mut f64) {
        self.take_in(moments, gradient);
        *param -= self.decay * *param;
        *param -= self.movement(moments);
    }

    fn take_in(&self, moments: &mut Moments, gradient: f64) {
        moments.first = self.beta1 * moments.first + (1.0 - self.beta1) * gradient;
        moments.second = self.beta2 * moments.second + (1.0 - self.beta2) * gradient * gradient;
        moments.step = self.step;
    }

    /// With ε = 0, what has only had gradients of 0 stays where it is.
    fn movement(&self, moments: &Moments) -> f64 {
        if moments.first == 0.0 { 0.0 } else { self.rate * moments.first / (moments.second.sqrt() + self.epsilon) }
    }
}

impl Moments {
    /// Takes the steps up to `now` with gradients of 0. Where β₁ < √β₂ their movements shrink, so that after some hundred
    /// the value does not change any more, and the rest is decay in one go. Elsewhere the first moment ends it, once it is
    /// smaller than every normal number: after 708 / (1 − β₁) steps at most, or twice that.
    pub(super) fn catch_up(&mut self, config: &SparseAdamConfig, now: usize, param: &mut f64) {
        while self.step < now && self.first.is_normal() {
            let update = Update::new(config, self.step + 1);
            update.take_in(self, 0.0);
            let before = *param;
            *param -= update.movement(self);
            if param.to_bits() == before.to_bits() && shrinking(config, self.step) {
                break;
            }
        }
        let left = now.saturating_sub(self.step);
        self.first *= power(config.beta1, left);
        self.second *= power(config.beta2, left);
        self.step = self.step.max(now);
    }
}

/// Whether no movement after this step is larger than the one before it, while gradients are 0.
///
/// From step t to t + 1, m̂ = m/(1 − β₁ᵗ) falls to at most its β₁-fold and √v̂ to its √(β₂(1 − β₂ᵗ)/(1 − β₂ᵗ⁺¹))-fold, which
/// grows with t; ε in the denominator slows its fall.
fn shrinking(config: &SparseAdamConfig, step: usize) -> bool {
    let corrections = (1.0 - power(config.beta2, step)) / (1.0 - power(config.beta2, step + 1));
    config.beta1 <= (config.beta2 * corrections).sqrt()
}

fn power(base: f64, exponent: usize) -> f64 {
    base.powf(exponent as f64)
}
