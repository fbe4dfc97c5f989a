/// AdamaxW: Adamax with decoupled weight decay.
///
/// Kingma & Ba, "Adam: A Method for Stochastic Optimization", ICLR 2015, Algorithm 2, with the decay of Loshchilov &
/// Hutter, "Decoupled Weight Decay Regularization", ICLR 2019, as `optax.adamaxw` has it: `m = β₁m + (1 − β₁)grad`, `u
/// = max(β₂u, |grad| + ε)`, `p ← p − lr · (m/(1 − β₁ᵗ)/u + weight_decay·p)`.
///
/// Where `u` is 0 (ε = 0 and every gradient so far 0) the direction is 0.
#[gpu_optimizer]
pub mod adamaxw {
    /// Hyper-parameters of [`GpuAdamaxW`].
    pub struct AdamaxWParams {
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
        /// Decoupled weight decay: the share `lr·weight_decay` of the parameter goes at each step.
        #[hyper(default = 1e-4, range = 0.0..)]
        pub weight_decay: f32,
    }

    pub struct State {
        /// First moment: decaying mean of the gradient.
        m: f32,
        /// Infinity norm: decaying maximum of the magnitude of the gradient.
        u: f32,
    }

    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &AdamaxWParams, step: u32) {
        let bias1 = 1.0 - hyper.beta1.powi(step);
        state.m = hyper.beta1 * state.m + (1.0 - hyper.beta1) * grad;
        state.u = (hyper.beta2 * state.u).max(grad.abs() + hyper.epsilon);
        let direction = if state.u == 0.0 { 0.0 } else { state.m / state.u };
        // At a rate of 0 the parameter keeps its bits, whatever the direction is.
        if hyper.learning_rate != 0.0 {
            *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
            *param -= hyper.learning_rate / bias1 * direction;
        }
    }
}
