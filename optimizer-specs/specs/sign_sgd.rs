/// SignSGD: the sign of the gradient, and nothing kept.
///
/// Bernstein et al., "signSGD: Compressed Optimisation for Non-Convex Problems", ICML 2018, Algorithm 1, as
/// `optax.sign_sgd` has it, with decoupled weight decay: `p ← (1 − lr·weight_decay)p − lr·sign(grad)`. The sign of 0 is
/// 0.
#[gpu_optimizer]
pub mod sign_sgd {
    /// Hyper-parameters of [`GpuSignSgd`].
    pub struct SignSgdParams {
        /// Step size.
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        /// Decoupled weight decay: the share `lr·weight_decay` of the parameter goes at each step.
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }

    fn update(param: &mut f32, grad: f32, hyper: &SignSgdParams) {
        // At a rate of 0 the parameter keeps its bits, whatever the direction is.
        if hyper.learning_rate != 0.0 {
            *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
            *param -= hyper.learning_rate * sign(grad);
        }
    }
}
