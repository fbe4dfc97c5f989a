/// Lion: the sign of an interpolated momentum.
///
/// Chen et al., "Symbolic Discovery of Optimization Algorithms", NeurIPS 2023, Algorithm 2; `optax.lion` and
/// pytorch_optimizer agree: `u = sign(β₁m + (1 − β₁)grad)`, `p ← (1 − lr·weight_decay)p − lr·u`, `m = β₂m + (1 −
/// β₂)grad`. The sign of 0 is 0. Learning rates are three to ten times smaller than AdamW's, decays as much larger.
#[gpu_optimizer]
pub mod lion {
    /// Hyper-parameters of [`GpuLion`].
    pub struct LionParams {
        /// Step size.
        #[hyper(default = 1e-4, range = 0.0..)]
        pub learning_rate: f32,
        /// Weight β₁ of the momentum in the direction.
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        /// Decay rate β₂ of the momentum.
        #[hyper(default = 0.99, range = 0.0..1.0)]
        pub beta2: f32,
        /// Decoupled weight decay: the share `lr·weight_decay` of the parameter goes at each step.
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }

    pub struct State {
        /// Momentum: decaying mean of the gradient.
        m: f32,
    }

    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &LionParams) {
        let direction = sign(hyper.beta1 * state.m + (1.0 - hyper.beta1) * grad);
        state.m = hyper.beta2 * state.m + (1.0 - hyper.beta2) * grad;
        // At a rate of 0 the parameter keeps its bits, whatever the direction is.
        if hyper.learning_rate != 0.0 {
            *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
            *param -= hyper.learning_rate * direction;
        }
    }
}
