/// AdamW: Adam with decoupled weight decay.
///
/// Loshchilov & Hutter, "Decoupled Weight Decay Regularization", ICLR 2019, Algorithm 2, in the form of
/// `torch.optim.AdamW`: `p ← (1 − lr·weight_decay)·p` before the update, then Adam's step on the plain gradient. The
/// decay is scaled by the learning rate, which the paper's schedule multiplier does instead.
///
/// Where the denominator is 0 (ε = 0 and every gradient so far 0) the update is 0; torch gives NaN there.
#[gpu_optimizer]
pub mod adamw {
    /// Hyper-parameters of [`GpuAdamW`]. The defaults are torch's: weight decay is 0.01.
    pub struct AdamWParams {
        /// Step size α.
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
        #[hyper(default = 1e-2, range = 0.0..)]
        pub weight_decay: f32,
    }

    pub struct State {
        /// First moment: decaying mean of the gradient.
        m: f32,
        /// Second moment: decaying mean of the squared gradient.
        v: f32,
    }

    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &AdamWParams, step: u32) {
        let bias1 = 1.0 - hyper.beta1.powi(step);
        let bias2 = 1.0 - hyper.beta2.powi(step);
        state.m = hyper.beta1 * state.m + (1.0 - hyper.beta1) * grad;
        state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * grad * grad;
        let denominator = (state.v / bias2).sqrt() + hyper.epsilon;
        let direction = if denominator == 0.0 { 0.0 } else { state.m / denominator };
        // At a rate of 0 the parameter keeps its bits, whatever the direction is.
        if hyper.learning_rate != 0.0 {
            *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
            *param -= hyper.learning_rate / bias1 * direction;
        }
    }
}
