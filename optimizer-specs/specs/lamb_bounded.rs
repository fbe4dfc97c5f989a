/// LAMB with the weight norm bounded and the second moment left uncorrected.
///
/// You et al., "Large Batch Optimization for Deep Learning: Training BERT in 76 minutes", ICLR 2020, Algorithm 2 with
/// φ(z) = min(z, γ) and γ = 10, as pytorch_optimizer's `Lamb` has it: with Adam's `m` and `v`, `u = m/(√v + ε)` plus
/// `weight_decay·p` taken off first, `p ← (1 − lr·weight_decay)p`, then `p ← p − lr/(1 − β₁ᵗ) · min(‖p‖, γ)/(‖u‖ + ε) ·
/// u`. The ratio is 1 where either norm is 0.
///
/// Where the denominator is 0 (ε = 0 and every gradient so far 0) the direction is 0.
#[gpu_optimizer]
pub mod lamb_bounded {
    /// Hyper-parameters of [`GpuLambBounded`].
    pub struct LambBoundedParams {
        /// Step size.
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        /// Decay rate β₁ of the first moment.
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        /// Decay rate β₂ of the second moment.
        #[hyper(default = 0.999, range = 0.0..1.0)]
        pub beta2: f32,
        /// Added to the root of the second moment and to the norm of the update.
        #[hyper(default = 1e-6, range = 0.0..)]
        pub epsilon: f32,
        /// Decoupled weight decay: the share `lr·weight_decay` of the parameter goes at each step.
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
        /// Largest norm γ of the parameter in the trust ratio.
        #[hyper(default = 10.0, range = 0.0..)]
        pub max_weight_norm: f32,
    }

    pub struct State {
        /// First moment: decaying mean of the gradient.
        m: f32,
        /// Second moment: decaying mean of the squared gradient.
        v: f32,
    }

    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &LambBoundedParams, step: u32) {
        let bias1 = 1.0 - hyper.beta1.powi(step);
        if hyper.learning_rate != 0.0 {
            *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
        }
        state.m = hyper.beta1 * state.m + (1.0 - hyper.beta1) * grad;
        state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * grad * grad;
        let denominator = state.v.sqrt() + hyper.epsilon;
        let direction = if denominator == 0.0 { 0.0 } else { state.m / denominator };
        let param_norm = norm(*param).min(hyper.max_weight_norm);
        let update_norm = norm(direction);
        let trust_ratio =
            if param_norm == 0.0 || update_norm == 0.0 { 1.0 } else { param_norm / (update_norm + hyper.epsilon) };
        // At a rate of 0 the parameter keeps its bits, whatever the direction is.
        if hyper.learning_rate != 0.0 {
            *param -= hyper.learning_rate / bias1 * trust_ratio * direction;
        }
    }
}
