/// LAMB as NVIDIA's apex has it (`FusedLAMB`): a clip by the norm of all gradients first, averaging as an option,
/// NVLAMB.
///
/// You et al., "Large Batch Optimization for Deep Learning: Training BERT in 76 minutes", ICLR 2020, in apex's form: `g
/// = grad / max(1, ‖all gradients‖/max_grad_norm)`, `m = β₁m + (1 − β₁)g` (without averaging `β₁m + g`), `v = β₂v + (1
/// − β₂)g²`, `u = m̂/(√v̂ + ε) + weight_decay·p`, `p ← p − lr·‖p‖/‖u‖·u`. The ratio is 1 where either norm is 0 and,
/// unless `use_nvlamb` is set, where there is no weight decay: put biases into a group without.
///
/// Where the denominator is 0 (ε = 0 and every gradient so far 0) Adam's direction is 0.
#[gpu_optimizer]
pub mod lamb_apex {
    /// Hyper-parameters of [`GpuLambApex`].
    pub struct LambApexParams {
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
        #[hyper(default = 0.01, range = 0.0..)]
        pub weight_decay: f32,
        /// Largest norm of all gradients together; 0 for no clip.
        #[hyper(default = 1.0, range = 0.0.., shared)]
        pub max_grad_norm: f32,
        /// Whether the gradient is weighted by 1 − β₁ in the first moment.
        #[hyper(default = true)]
        pub grad_averaging: bool,
        /// Whether tensors without weight decay have a trust ratio, too.
        #[hyper(default = false)]
        pub use_nvlamb: bool,
    }

    pub struct State {
        /// First moment: decaying mean of the gradient.
        m: f32,
        /// Second moment: decaying mean of the squared gradient.
        v: f32,
    }

    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &LambApexParams, step: u32) {
        let total = all::norm(grad);
        let clip =
            if hyper.max_grad_norm > 0.0 && total > hyper.max_grad_norm { total / hyper.max_grad_norm } else { 1.0 };
        let g = grad / clip;
        let weight = if hyper.grad_averaging { 1.0 - hyper.beta1 } else { 1.0 };
        let bias1 = 1.0 - hyper.beta1.powi(step);
        let bias2 = 1.0 - hyper.beta2.powi(step);
        state.m = hyper.beta1 * state.m + weight * g;
        state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * g * g;
        let denominator = (state.v / bias2).sqrt() + hyper.epsilon;
        let direction = if denominator == 0.0 { 0.0 } else { state.m / bias1 / denominator };
        let u = direction + hyper.weight_decay * *param;
        let trust_ratio = if hyper.use_nvlamb || hyper.weight_decay != 0.0 {
            let (param_norm, update_norm) = (norm(*param), norm(u));
            if param_norm > 0.0 && update_norm > 0.0 { param_norm / update_norm } else { 1.0 }
        } else {
            1.0
        };
        // At a rate of 0 the parameter keeps its bits, whatever the direction is.
        if hyper.learning_rate != 0.0 {
            *param -= hyper.learning_rate * trust_ratio * u;
        }
    }
}
