/// NAdam: Adam with Nesterov momentum.
///
/// Dozat, "Incorporating Nesterov Momentum into Adam", ICLR workshop 2016, Algorithm 2 with its momentum schedule, as
/// `torch.optim.NAdam` has it: `μₜ = β₁(1 − ½·0.96^(t·ψ))`, with Adam's `m` and `v` (of `grad + weight_decay·p` unless
/// decay is decoupled), `p ← p − [lr(1 − μₜ)/(1 − ∏μᵢ)·g + lr·μₜ₊₁/(1 − ∏μᵢ·μₜ₊₁)·m] / (√(v/(1 − β₂ᵗ)) + ε)`. The
/// product of the momenta is kept on the host, in f64. optax's `nadam` is another rule: Adam with the moment looked
/// ahead by one step.
///
/// Where the denominator is 0 (ε = 0 and every gradient so far 0) the update is 0.
#[gpu_optimizer]
pub mod nadam {
    /// Hyper-parameters of [`GpuNAdam`].
    pub struct NAdamParams {
        /// Step size.
        #[hyper(default = 2e-3, range = 0.0..)]
        pub learning_rate: f32,
        /// Decay rate β₁ of the first moment.
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        /// Decay rate β₂ of the second moment.
        #[hyper(default = 0.999, range = 0.0..1.0)]
        pub beta2: f32,
        /// Added to the root of the second moment.
        #[hyper(default = 1e-8, range = 0.0..)]
        pub epsilon: f32,
        /// L2 penalty, or decoupled weight decay if `decoupled_weight_decay` is set.
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
        /// Rate ψ at which the momentum comes up to β₁.
        #[hyper(default = 4e-3, range = 0.0..)]
        pub momentum_decay: f32,
        /// Whether weight decay is decoupled: a share `lr·weight_decay` of the parameter, instead of an L2 penalty.
        #[hyper(default = false)]
        pub decoupled_weight_decay: bool,
    }

    pub struct State {
        /// First moment: decaying mean of the gradient.
        m: f32,
        /// Second moment: decaying mean of the squared gradient.
        v: f32,
        /// Product of the momenta so far.
        #[host]
        #[init(1.0)]
        mu_product: f64,
    }

    fn momentum(hyper: &NAdamParams, t: u32) -> f32 {
        hyper.beta1 * (1.0 - 0.5 * 0.96.powf(t as f32 * hyper.momentum_decay))
    }

    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &NAdamParams, step: u32) {
        let mu = momentum(hyper, step);
        let mu_next = momentum(hyper, step + 1);
        state.mu_product *= mu;
        let bias2 = 1.0 - hyper.beta2.powi(step);
        if hyper.decoupled_weight_decay && hyper.learning_rate != 0.0 {
            *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
        }
        let g = if hyper.decoupled_weight_decay { grad } else { grad + hyper.weight_decay * *param };
        state.m = hyper.beta1 * state.m + (1.0 - hyper.beta1) * g;
        state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * g * g;
        let denominator = (state.v / bias2).sqrt() + hyper.epsilon;
        let gradient_rate = hyper.learning_rate * (1.0 - mu) / (1.0 - state.mu_product);
        let moment_rate = hyper.learning_rate * mu_next / (1.0 - state.mu_product * mu_next);
        let gradient_part = if denominator == 0.0 { 0.0 } else { g / denominator };
        let moment_part = if denominator == 0.0 { 0.0 } else { state.m / denominator };
        // At a rate of 0 the parameter keeps its bits, whatever the direction is.
        if hyper.learning_rate != 0.0 {
            *param -= gradient_rate * gradient_part;
            *param -= moment_rate * moment_part;
        }
    }
}
