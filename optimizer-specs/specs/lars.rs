/// LARS: SGD with momentum whose rate is scaled per tensor by a trust ratio.
///
/// You, Gitman & Ginsburg, "Large Batch Training of Convolutional Networks", arXiv:1708.03888, Algorithm 1, in the form
/// of `optax.lars`, where the ratio comes before the momentum: `u = grad + weight_decay·p`, `r = coefficient·‖p‖/(‖u‖ +
/// ε)`, `b = momentum·b + lr·r·u`, `p ← p − b`, with Nesterov momentum `p ← p − (lr·r·u + momentum·b)`. The ratio is 1
/// where either norm is 0. (The paper divides by `‖grad‖ + weight_decay·‖p‖`.) Biases and scales are better left to a
/// group without decay and, as their norms are near 0, to another optimizer.
#[gpu_optimizer]
pub mod lars {
    /// Hyper-parameters of [`GpuLars`].
    pub struct LarsParams {
        /// Step size.
        #[hyper(default = 0.1, range = 0.0..)]
        pub learning_rate: f32,
        /// Factor of the momentum buffer.
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub momentum: f32,
        /// Factor of the trust ratio.
        #[hyper(default = 1e-3, range = 0.0..)]
        pub trust_coefficient: f32,
        /// Added to the norm of the update.
        #[hyper(default = 0.0, range = 0.0..)]
        pub epsilon: f32,
        /// L2 penalty, added to the gradient before its norm is taken.
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
        /// Whether the momentum is looked ahead by one step.
        #[hyper(default = false)]
        pub nesterov: bool,
    }

    pub struct State {
        /// Momentum buffer: a decaying sum of the scaled updates.
        momentum: f32,
    }

    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &LarsParams) {
        let u = grad + hyper.weight_decay * *param;
        let param_norm = norm(*param);
        let update_norm = norm(u);
        let trust_ratio = if param_norm == 0.0 || update_norm == 0.0 {
            1.0
        } else {
            hyper.trust_coefficient * (param_norm / (update_norm + hyper.epsilon))
        };
        let scaled = hyper.learning_rate * trust_ratio * u;
        state.momentum = hyper.momentum * state.momentum + scaled;
        *param -= if hyper.nesterov { scaled + hyper.momentum * state.momentum } else { state.momentum };
    }
}
