/// diffGrad: Adam slowed down where the gradient hardly changes.
///
/// Dubey et al., "diffGrad: An Optimization Method for Convolutional Neural Networks", IEEE TNNLS 31 (2020), Algorithm
/// 1, in the form of the authors' code: with Adam's `m` and `v` and the friction `f = 1/(1 + exp(−|previous − grad|))`,
/// `p ← (1 − lr·weight_decay)p − lr·√(1 − β₂ᵗ)/(1 − β₁ᵗ) · f·m / (√v + ε)`. The gradient before the first one is 0. ε
/// is added to the uncorrected root, as the authors and pytorch_optimizer do.
///
/// Where the denominator is 0 (ε = 0 and every gradient so far 0) the update is 0.
#[gpu_optimizer]
pub mod diffgrad {
    /// Hyper-parameters of [`GpuDiffGrad`].
    pub struct DiffGradParams {
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
        #[hyper(default = 1e-8, range = 0.0..)]
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
        /// The gradient of the step before.
        previous: f32,
    }

    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &DiffGradParams, step: u32) {
        let bias1 = 1.0 - hyper.beta1.powi(step);
        let bias2 = 1.0 - hyper.beta2.powi(step);
        state.m = hyper.beta1 * state.m + (1.0 - hyper.beta1) * grad;
        state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * grad * grad;
        let friction = 1.0 / (1.0 + (-(state.previous - grad).abs()).exp());
        state.previous = grad;
        let denominator = state.v.sqrt() + hyper.epsilon;
        let direction = if denominator == 0.0 { 0.0 } else { friction * state.m / denominator };
        // At a rate of 0 the parameter keeps its bits, whatever the direction is.
        if hyper.learning_rate != 0.0 {
            *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
            *param -= hyper.learning_rate * bias2.sqrt() / bias1 * direction;
        }
    }
}
