/// Adan: Adam with Nesterov momentum by differences of gradients.
///
/// Xie et al., "Adan: Adaptive Nesterov Momentum Algorithm for Faster Optimizing Deep Models", arXiv:2208.06677,
/// Algorithm 1, in the notation of the authors' code (β₁ = 0.98, where the paper writes 0.02), which pytorch_optimizer
/// follows: with `d = grad − previous` (0 at the first step), `m = β₁m + (1 − β₁)grad`, `n = β₂n + (1 − β₂)d`, `v = β₃v
/// + (1 − β₃)(grad + β₂d)²`, all with bias correction, `u = (m̂ + β₂n̂) / (√v̂ + ε)`; `p ← (p − lr·u)/(1 +
/// lr·weight_decay)`, or, where decay is not proximal, `p ← (1 − lr·weight_decay)p − lr·u`. optax 0.2.8 has `1 − β₂`
/// where the paper has `β₂`, which is another rule.
///
/// Where the denominator is 0 (ε = 0 and every gradient so far 0) the update is 0.
#[gpu_optimizer]
pub mod adan {
    /// Hyper-parameters of [`GpuAdan`].
    pub struct AdanParams {
        /// Step size.
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        /// Decay rate β₁ of the first moment.
        #[hyper(default = 0.98, range = 0.0..1.0)]
        pub beta1: f32,
        /// Decay rate β₂ of the mean difference, and its weight.
        #[hyper(default = 0.92, range = 0.0..1.0)]
        pub beta2: f32,
        /// Decay rate β₃ of the second moment.
        #[hyper(default = 0.99, range = 0.0..1.0)]
        pub beta3: f32,
        /// Added to the root of the second moment.
        #[hyper(default = 1e-8, range = 0.0..)]
        pub epsilon: f32,
        /// Weight decay.
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
        /// Whether weight decay is the proximal step `1/(1 + lr·weight_decay)` of the paper.
        #[hyper(default = true)]
        pub proximal: bool,
    }

    pub struct State {
        /// First moment: decaying mean of the gradient.
        m: f32,
        /// Decaying mean of the difference of gradients.
        n: f32,
        /// Second moment: decaying mean of the squared gradient, looked ahead.
        v: f32,
        /// The gradient of the step before.
        previous: f32,
    }

    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &AdanParams, step: u32) {
        let bias1 = 1.0 - hyper.beta1.powi(step);
        let bias2 = 1.0 - hyper.beta2.powi(step);
        let bias3 = 1.0 - hyper.beta3.powi(step);
        let difference = if step == 1 { 0.0 } else { grad - state.previous };
        let ahead = grad + hyper.beta2 * difference;
        state.m = hyper.beta1 * state.m + (1.0 - hyper.beta1) * grad;
        state.n = hyper.beta2 * state.n + (1.0 - hyper.beta2) * difference;
        state.v = hyper.beta3 * state.v + (1.0 - hyper.beta3) * ahead * ahead;
        state.previous = grad;
        let denominator = (state.v / bias3).sqrt() + hyper.epsilon;
        let momentum = 1.0 / bias1 * state.m + hyper.beta2 / bias2 * state.n;
        let direction = if denominator == 0.0 { 0.0 } else { momentum / denominator };
        // At a rate of 0 the parameter keeps its bits, whatever the direction is.
        if hyper.learning_rate != 0.0 {
            if hyper.proximal {
                *param = (*param - hyper.learning_rate * direction) / (1.0 + hyper.learning_rate * hyper.weight_decay);
            } else {
                *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
                *param -= hyper.learning_rate * direction;
            }
        }
    }
}
