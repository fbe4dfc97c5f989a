/// NovoGrad: gradients normalized per tensor, one second moment a tensor.
///
/// Ginsburg et al., "Stochastic Gradient Methods with Layer-wise Adaptive Moments for Training of Deep Networks",
/// arXiv:1905.11286, Algorithm 1, as `optax.novograd` has it: `v = ‖grad‖²` at the first step, then `β₂v + (1 −
/// β₂)‖grad‖²`; `m = β₁m + grad/(√v + ε) + weight_decay·p`, `p ← p − lr·m`. The momentum is a sum, not a mean (the
/// paper's β₁ form); NVIDIA's and timm's versions average.
///
/// Where the denominator is 0 (ε = 0 and every gradient so far 0) the normalized gradient is 0.
#[gpu_optimizer]
pub mod novograd {
    /// Hyper-parameters of [`GpuNovoGrad`].
    pub struct NovoGradParams {
        /// Step size.
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        /// Factor β₁ of the momentum.
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        /// Decay rate β₂ of the second moment.
        #[hyper(default = 0.25, range = 0.0..1.0)]
        pub beta2: f32,
        /// Added to the root of the second moment.
        #[hyper(default = 1e-6, range = 0.0..)]
        pub epsilon: f32,
        /// Weight decay, added to the normalized gradient.
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }

    pub struct State {
        /// Momentum: decaying sum of the normalized gradient.
        m: f32,
        /// Second moment of the whole tensor: decaying mean of the squared norm.
        #[tensor]
        v: f32,
    }

    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &NovoGradParams, step: u32) {
        let squared_norm = sum(grad * grad);
        state.v = if step == 1 { squared_norm } else { hyper.beta2 * state.v + (1.0 - hyper.beta2) * squared_norm };
        let denominator = state.v.sqrt() + hyper.epsilon;
        let normalized = if denominator == 0.0 { 0.0 } else { grad / denominator };
        state.m = hyper.beta1 * state.m + (normalized + hyper.weight_decay * *param);
        // At a rate of 0 the parameter keeps its bits, whatever the direction is.
        if hyper.learning_rate != 0.0 {
            *param -= hyper.learning_rate * state.m;
        }
    }
}
