/// Tiger: the sign of the momentum, with weight decay; one state and no ε.
///
/// Su, "Tiger: A Tight-fisted Optimizer", 2023, as pytorch_optimizer has it: `m = βm + (1 − β)grad`, `p ← (1 −
/// lr·weight_decay)p − lr·sign(m)`. It is Signum with another β and decay: Lion with β₁ = β₂. The author's scaling of
/// the rate by the parameter's root mean square for some layers is left to parameter groups.
#[gpu_optimizer]
pub mod tiger {
    /// Hyper-parameters of [`GpuTiger`].
    pub struct TigerParams {
        /// Step size.
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        /// Decay rate β of the momentum.
        #[hyper(default = 0.965, range = 0.0..1.0)]
        pub beta: f32,
        /// Decoupled weight decay: the share `lr·weight_decay` of the parameter goes at each step.
        #[hyper(default = 0.01, range = 0.0..)]
        pub weight_decay: f32,
    }

    pub struct State {
        /// Momentum: decaying mean of the gradient.
        m: f32,
    }

    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &TigerParams) {
        state.m = hyper.beta * state.m + (1.0 - hyper.beta) * grad;
        // At a rate of 0 the parameter keeps its bits, whatever the direction is.
        if hyper.learning_rate != 0.0 {
            *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
            *param -= hyper.learning_rate * sign(state.m);
        }
    }
}
