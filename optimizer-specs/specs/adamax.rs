/// Adamax: Adam with the infinity norm of past gradients for the second moment.
///
/// Kingma & Ba, "Adam: A Method for Stochastic Optimization", ICLR 2015, Algorithm 2, as `torch.optim.Adamax` has it,
/// which adds ε inside the maximum: with `g = grad + weight_decay·p`, `m = β₁m + (1 − β₁)g`, `u = max(β₂u, |g| + ε)`,
/// `p ← p − lr/(1 − β₁ᵗ) · m/u`.
///
/// Where `u` is 0 (ε = 0 and every gradient so far 0) the update is 0.
#[gpu_optimizer]
pub mod adamax {
    /// Hyper-parameters of [`GpuAdamax`].
    pub struct AdamaxParams {
        /// Step size.
        #[hyper(default = 2e-3, range = 0.0..)]
        pub learning_rate: f32,
        /// Decay rate β₁ of the first moment.
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        /// Decay rate β₂ of the infinity norm.
        #[hyper(default = 0.999, range = 0.0..1.0)]
        pub beta2: f32,
        /// Added to the magnitude of the gradient.
        #[hyper(default = 1e-8, range = 0.0..)]
        pub epsilon: f32,
        /// L2 penalty, added to the gradient.
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }

    pub struct State {
        /// First moment: decaying mean of the gradient.
        m: f32,
        /// Infinity norm: decaying maximum of the magnitude of the gradient.
        u: f32,
    }

    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &AdamaxParams, step: u32) {
        let bias1 = 1.0 - hyper.beta1.powi(step);
        let g = grad + hyper.weight_decay * *param;
        state.m = hyper.beta1 * state.m + (1.0 - hyper.beta1) * g;
        state.u = (hyper.beta2 * state.u).max(g.abs() + hyper.epsilon);
        let direction = if state.u == 0.0 { 0.0 } else { state.m / state.u };
        // At a rate of 0 the parameter keeps its bits, whatever the direction is.
        if hyper.learning_rate != 0.0 {
            *param -= hyper.learning_rate / bias1 * direction;
        }
    }
}
