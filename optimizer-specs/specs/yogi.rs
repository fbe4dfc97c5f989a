/// Yogi: Adam whose second moment changes by a bounded amount.
///
/// Zaheer et al., "Adaptive Methods for Nonconvex Optimization", NeurIPS 2018, Algorithm 2, as `optax.yogi` has it,
/// with bias correction: `m = β₁m + (1 − β₁)grad`, `v = v − (1 − β₂)·sign(v − grad²)·grad²`, `p ← (1 −
/// lr·weight_decay)p − lr/(1 − β₁ᵗ) · m / (√(v/(1 − β₂ᵗ)) + ε)`. Both moments begin at 1e-6, as optax's do; the paper
/// begins with the squared gradient of a first batch.
///
/// Where the denominator is 0 the update is 0.
#[gpu_optimizer]
pub mod yogi {
    /// Hyper-parameters of [`GpuYogi`].
    pub struct YogiParams {
        /// Step size.
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        /// Decay rate β₁ of the first moment.
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        /// Decay rate β₂ of the second moment.
        #[hyper(default = 0.999, range = 0.0..1.0)]
        pub beta2: f32,
        /// Added to the root of the second moment.
        #[hyper(default = 1e-3, range = 0.0..)]
        pub epsilon: f32,
        /// First value of both moments.
        #[hyper(default = 1e-6, range = 0.0..)]
        pub initial_accumulator: f32,
        /// Decoupled weight decay: the share `lr·weight_decay` of the parameter goes at each step.
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }

    pub struct State {
        /// First moment: decaying mean of the gradient.
        #[init(initial_accumulator)]
        m: f32,
        /// Second moment: follows the squared gradient.
        #[init(initial_accumulator)]
        v: f32,
    }

    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &YogiParams, step: u32) {
        let bias1 = 1.0 - hyper.beta1.powi(step);
        let bias2 = 1.0 - hyper.beta2.powi(step);
        state.m = hyper.beta1 * state.m + (1.0 - hyper.beta1) * grad;
        let squared = grad * grad;
        state.v -= (1.0 - hyper.beta2) * (sign(state.v - squared) * squared);
        let denominator = (state.v / bias2).sqrt() + hyper.epsilon;
        let direction = if denominator == 0.0 { 0.0 } else { state.m / denominator };
        // At a rate of 0 the parameter keeps its bits, whatever the direction is.
        if hyper.learning_rate != 0.0 {
            *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
            *param -= hyper.learning_rate / bias1 * direction;
        }
    }
}
