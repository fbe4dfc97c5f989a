/// Cautious AdamW: AdamW that moves only the elements whose update agrees with the gradient.
///
/// Liang et al., "Cautious Optimizers: Improving Training with One Line of Code", arXiv:2411.16085, Algorithm 2:
/// AdamW's update `u`, masked to the elements where `u·grad > 0` and scaled by `n/(kept + 1)`, n the elements of the
/// tensor. `u` has the sign of `m`, so that the mask is taken from `m` and known one pass earlier. (The authors' code
/// divides by the mean of the mask, at least 1e-3.)
///
/// Where the denominator is 0 (ε = 0 and every gradient so far 0) the update is 0.
#[gpu_optimizer]
pub mod cautious_adamw {
    /// Hyper-parameters of [`GpuCautiousAdamW`].
    pub struct CautiousAdamWParams {
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
        #[hyper(default = 1e-8, range = 0.0..)]
        pub epsilon: f32,
        /// Decoupled weight decay: the share `lr·weight_decay` of the parameter goes at each step.
        #[hyper(default = 1e-2, range = 0.0..)]
        pub weight_decay: f32,
    }

    pub struct State {
        /// First moment: decaying mean of the gradient.
        m: f32,
        /// Second moment: decaying mean of the squared gradient.
        v: f32,
    }

    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &CautiousAdamWParams, step: u32) {
        let bias1 = 1.0 - hyper.beta1.powi(step);
        let bias2 = 1.0 - hyper.beta2.powi(step);
        state.m = hyper.beta1 * state.m + (1.0 - hyper.beta1) * grad;
        state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * grad * grad;
        let agrees = (state.m > 0.0 && grad > 0.0) || (state.m < 0.0 && grad < 0.0);
        let scale = len() as f32 / (count(agrees) as f32 + 1.0);
        let denominator = (state.v / bias2).sqrt() + hyper.epsilon;
        let direction = if denominator == 0.0 { 0.0 } else { state.m / denominator };
        // At a rate of 0 the parameter keeps its bits, whatever the direction is.
        if hyper.learning_rate != 0.0 {
            *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
            *param -= hyper.learning_rate / bias1 * (if agrees { scale * direction } else { 0.0 });
        }
    }
}
