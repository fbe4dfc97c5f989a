/// Adam with L2 weight decay.
///
/// Kingma & Ba, "Adam: A Method for Stochastic Optimization", ICLR 2015, Algorithm 1, with ε outside the root, as
/// `torch.optim.Adam` has it: with `g = grad + weight_decay·p`, `m = β₁m + (1 − β₁)g`, `v = β₂v + (1 − β₂)g²`,
/// `p ← p − lr/(1 − β₁ᵗ) · m / (√(v/(1 − β₂ᵗ)) + ε)`.
///
/// Where the denominator is 0 (ε = 0 and every gradient so far 0) the update is 0; torch gives NaN there.
#[gpu_optimizer]
pub mod adam {
    /// Hyper-parameters of [`GpuAdam`].
    pub struct AdamParams {
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
        /// L2 penalty, added to the gradient.
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }

    pub struct State {
        /// First moment: decaying mean of the gradient.
        m: f32,
        /// Second moment: decaying mean of the squared gradient.
        v: f32,
    }

    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &AdamParams, step: u32) {
        let bias1 = 1.0 - hyper.beta1.powi(step);
        let bias2 = 1.0 - hyper.beta2.powi(step);
        let g = grad + hyper.weight_decay * *param;
        state.m = hyper.beta1 * state.m + (1.0 - hyper.beta1) * g;
        state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * g * g;
        let denominator = (state.v / bias2).sqrt() + hyper.epsilon;
        let direction = if denominator == 0.0 { 0.0 } else { state.m / denominator };
        // At a rate of 0 the parameter keeps its bits, whatever the direction is.
        if hyper.learning_rate != 0.0 {
            *param -= hyper.learning_rate / bias1 * direction;
        }
    }
}
