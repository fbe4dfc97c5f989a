/// LaProp: momentum over gradients that are normalized first.
///
/// Ziyin, Wang & Ueda, "LaProp: Separating Momentum and Adaptivity in Adam", arXiv:2002.04839, Algorithm 1: `v = β₂v +
/// (1 − β₂)grad²`, `m = β₁m + (1 − β₁)·grad/(√(v/(1 − β₂ᵗ)) + ε)`, `p ← (1 − lr·weight_decay)p − lr/(1 − β₁ᵗ)·m`. The
/// authors' code takes the learning rate into `m`, which differs only while the rate changes.
///
/// Where the denominator is 0 (ε = 0 and every gradient so far 0) the normalized gradient is 0.
#[gpu_optimizer]
pub mod laprop {
    /// Hyper-parameters of [`GpuLaProp`].
    pub struct LaPropParams {
        /// Step size.
        #[hyper(default = 4e-4, range = 0.0..)]
        pub learning_rate: f32,
        /// Decay rate β₁ of the momentum.
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        /// Decay rate β₂ of the second moment.
        #[hyper(default = 0.999, range = 0.0..1.0)]
        pub beta2: f32,
        /// Added to the root of the second moment.
        #[hyper(default = 1e-15, range = 0.0..)]
        pub epsilon: f32,
        /// Decoupled weight decay: the share `lr·weight_decay` of the parameter goes at each step.
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }

    pub struct State {
        /// Momentum: decaying mean of the normalized gradient.
        m: f32,
        /// Second moment: decaying mean of the squared gradient.
        v: f32,
    }

    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &LaPropParams, step: u32) {
        let bias1 = 1.0 - hyper.beta1.powi(step);
        let bias2 = 1.0 - hyper.beta2.powi(step);
        state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * grad * grad;
        let denominator = (state.v / bias2).sqrt() + hyper.epsilon;
        let normalized = if denominator == 0.0 { 0.0 } else { grad / denominator };
        state.m = hyper.beta1 * state.m + (1.0 - hyper.beta1) * normalized;
        // At a rate of 0 the parameter keeps its bits, whatever the direction is.
        if hyper.learning_rate != 0.0 {
            *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
            *param -= hyper.learning_rate / bias1 * state.m;
        }
    }
}
