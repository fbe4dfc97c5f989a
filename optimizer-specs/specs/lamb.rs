/// LAMB: Adam's direction, scaled per tensor by a trust ratio.
///
/// You et al., "Large Batch Optimization for Deep Learning: Training BERT in 76 minutes", ICLR 2020, Algorithm 2, with
/// bias correction, φ the identity and weight decay inside the direction: with Adam's `m`, `v`,
/// `u = m/(1 − β₁ᵗ) / (√(v/(1 − β₂ᵗ)) + ε) + weight_decay·p`, `p ← p − lr · ‖p‖/‖u‖ · u`. The ratio is 1 where either
/// norm is 0. `optax.lamb` agrees, with ε = 1e-6; apex and pytorch_optimizer clip, clamp or leave out the correction.
///
/// Where the denominator is 0 (ε = 0 and every gradient so far 0) Adam's direction is 0.
#[gpu_optimizer]
pub mod lamb {
    /// Hyper-parameters of [`GpuLamb`].
    pub struct LambParams {
        /// Step size.
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        /// Decay rate β₁ of the first moment.
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        /// Decay rate β₂ of the second moment.
        #[hyper(default = 0.999, range = 0.0..1.0)]
        pub beta2: f32,
        /// Added to the root of the second moment.
        #[hyper(default = 1e-6, range = 0.0..)]
        pub epsilon: f32,
        /// Weight decay, added to the direction before its norm is taken.
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }

    pub struct State {
        /// First moment: decaying mean of the gradient.
        m: f32,
        /// Second moment: decaying mean of the squared gradient.
        v: f32,
    }

    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &LambParams, step: u32) {
        let bias1 = 1.0 - hyper.beta1.powi(step);
        let bias2 = 1.0 - hyper.beta2.powi(step);
        state.m = hyper.beta1 * state.m + (1.0 - hyper.beta1) * grad;
        state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * grad * grad;
        let denominator = (state.v / bias2).sqrt() + hyper.epsilon;
        let direction = if denominator == 0.0 { 0.0 } else { state.m / bias1 / denominator };
        let u = direction + hyper.weight_decay * *param;
        let param_norm = norm(*param);
        let update_norm = norm(u);
        let trust_ratio = if param_norm == 0.0 || update_norm == 0.0 { 1.0 } else { param_norm / update_norm };
        // At a rate of 0 the parameter keeps its bits, whatever the direction is.
        if hyper.learning_rate != 0.0 {
            *param -= hyper.learning_rate * trust_ratio * u;
        }
    }
}
