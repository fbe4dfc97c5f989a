/// Signum: the sign of the momentum.
///
/// Bernstein et al., "signSGD: Compressed Optimisation for Non-Convex Problems", ICML 2018, Algorithm 2, as
/// `optax.signum` has it, with decoupled weight decay: `m = βm + (1 − β)grad`, `p ← (1 − lr·weight_decay)p −
/// lr·sign(m)`. The sign of 0 is 0.
#[gpu_optimizer]
pub mod signum {
    /// Hyper-parameters of [`GpuSignum`].
    pub struct SignumParams {
        /// Step size.
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        /// Decay rate β of the momentum.
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta: f32,
        /// Decoupled weight decay: the share `lr·weight_decay` of the parameter goes at each step.
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }

    pub struct State {
        /// Momentum: decaying mean of the gradient.
        m: f32,
    }

    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &SignumParams) {
        state.m = hyper.beta * state.m + (1.0 - hyper.beta) * grad;
        // At a rate of 0 the parameter keeps its bits, whatever the direction is.
        if hyper.learning_rate != 0.0 {
            *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
            *param -= hyper.learning_rate * sign(state.m);
        }
    }
}
