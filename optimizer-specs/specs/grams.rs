/// Grams: the magnitude of AdamW's update with the sign of the gradient.
///
/// Cao, Li & Song, "Grams: Gradient Descent with Adaptive Momentum Scaling", arXiv:2412.17107, Algorithm 1, as
/// pytorch_optimizer has it: `p ← (1 − lr·weight_decay)p − lr·sign(grad)·|u|` with Adam's `u = m/(1 − β₁ᵗ) / (√(v/(1 −
/// β₂ᵗ)) + ε)`.
///
/// Where the denominator is 0 (ε = 0 and every gradient so far 0) the update is 0.
#[gpu_optimizer]
pub mod grams {
    /// Hyper-parameters of [`GpuGrams`].
    pub struct GramsParams {
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
        #[hyper(default = 1e-6, range = 0.0..)]
        pub epsilon: f32,
        /// Decoupled weight decay: the share `lr·weight_decay` of the parameter goes at each step.
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }

    pub struct State {
        /// First moment: decaying mean of the gradient.
        m: f32,
        /// Second moment: decaying mean of the squared gradient.
        v: f32,
    }

    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &GramsParams, step: u32) {
        let bias1 = 1.0 - hyper.beta1.powi(step);
        let bias2 = 1.0 - hyper.beta2.powi(step);
        state.m = hyper.beta1 * state.m + (1.0 - hyper.beta1) * grad;
        state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * grad * grad;
        let denominator = (state.v / bias2).sqrt() + hyper.epsilon;
        let magnitude = if denominator == 0.0 { 0.0 } else { state.m.abs() / denominator };
        // At a rate of 0 the parameter keeps its bits, whatever the direction is.
        if hyper.learning_rate != 0.0 {
            *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
            *param -= hyper.learning_rate / bias1 * (sign(grad) * magnitude);
        }
    }
}
