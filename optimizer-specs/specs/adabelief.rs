/// AdaBelief: Adam with the variance of the gradient around its first moment for the second moment.
///
/// Zhuang et al., "AdaBelief Optimizer: Adapting Stepsizes by the Belief in Observed Gradients", NeurIPS 2020,
/// Algorithm 2, with both of its ε named, as `optax.adabelief` and pytorch_optimizer have it: `m = β₁m + (1 − β₁)grad`,
/// `s = β₂s + (1 − β₂)(grad − m)² + ε_root`, `p ← (1 − lr·weight_decay)p − lr/(1 − β₁ᵗ) · m / (√(s/(1 − β₂ᵗ)) + ε)`.
/// `m` is the new one in the deviation.
///
/// Where the denominator is 0 (both ε = 0 and no deviation so far) the update is 0.
#[gpu_optimizer]
pub mod adabelief {
    /// Hyper-parameters of [`GpuAdaBelief`].
    pub struct AdaBeliefParams {
        /// Step size.
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        /// Decay rate β₁ of the first moment.
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        /// Decay rate β₂ of the squared deviation.
        #[hyper(default = 0.999, range = 0.0..1.0)]
        pub beta2: f32,
        /// Added to the root of the squared deviation.
        #[hyper(default = 1e-16, range = 0.0..)]
        pub epsilon: f32,
        /// Added to the squared deviation at every step.
        #[hyper(default = 1e-16, range = 0.0..)]
        pub epsilon_root: f32,
        /// Decoupled weight decay: the share `lr·weight_decay` of the parameter goes at each step.
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }

    pub struct State {
        /// First moment: decaying mean of the gradient.
        m: f32,
        /// Decaying mean of the squared deviation of the gradient from the first moment.
        s: f32,
    }

    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &AdaBeliefParams, step: u32) {
        let bias1 = 1.0 - hyper.beta1.powi(step);
        let bias2 = 1.0 - hyper.beta2.powi(step);
        state.m = hyper.beta1 * state.m + (1.0 - hyper.beta1) * grad;
        let deviation = grad - state.m;
        state.s = hyper.beta2 * state.s + (1.0 - hyper.beta2) * deviation * deviation + hyper.epsilon_root;
        let denominator = (state.s / bias2).sqrt() + hyper.epsilon;
        let direction = if denominator == 0.0 { 0.0 } else { state.m / denominator };
        // At a rate of 0 the parameter keeps its bits, whatever the direction is.
        if hyper.learning_rate != 0.0 {
            *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
            *param -= hyper.learning_rate / bias1 * direction;
        }
    }
}
