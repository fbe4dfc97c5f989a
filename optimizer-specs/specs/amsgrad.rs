/// AMSGrad: Adam whose second moment never falls.
///
/// Reddi, Kale & Kumar, "On the Convergence of Adam and Beyond", ICLR 2018, Algorithm 2, as `torch.optim.Adam(amsgrad =
/// True)` has it, and with decoupled decay as `torch.optim.AdamW(amsgrad = True)` does: with Adam's `m` and `v`, `v̂ =
/// max(v̂, v)`, `p ← p − lr/(1 − β₁ᵗ) · m / (√(v̂/(1 − β₂ᵗ)) + ε)`. The maximum is taken over the second moment before
/// its bias is corrected, as torch does; optax takes it after.
///
/// Where the denominator is 0 (ε = 0 and every gradient so far 0) the update is 0; torch gives NaN there.
#[gpu_optimizer]
pub mod amsgrad {
    /// Hyper-parameters of [`GpuAmsGrad`].
    pub struct AmsGradParams {
        /// Step size.
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        /// Decay rate β₁ of the first moment.
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        /// Decay rate β₂ of the second moment.
        #[hyper(default = 0.999, range = 0.0..1.0)]
        pub beta2: f32,
        /// Added to the root of the largest second moment.
        #[hyper(default = 1e-8, range = 0.0..)]
        pub epsilon: f32,
        /// L2 penalty, or decoupled weight decay if `decoupled_weight_decay` is set (torch's AdamW: 0.01).
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
        /// Whether weight decay is decoupled: a share `lr·weight_decay` of the parameter, instead of an L2 penalty.
        #[hyper(default = false)]
        pub decoupled_weight_decay: bool,
    }

    pub struct State {
        /// First moment: decaying mean of the gradient.
        m: f32,
        /// Second moment: decaying mean of the squared gradient.
        v: f32,
        /// The largest second moment so far.
        v_max: f32,
    }

    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &AmsGradParams, step: u32) {
        let bias1 = 1.0 - hyper.beta1.powi(step);
        let bias2 = 1.0 - hyper.beta2.powi(step);
        if hyper.decoupled_weight_decay && hyper.learning_rate != 0.0 {
            *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
        }
        let g = if hyper.decoupled_weight_decay { grad } else { grad + hyper.weight_decay * *param };
        state.m = hyper.beta1 * state.m + (1.0 - hyper.beta1) * g;
        state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * g * g;
        state.v_max = state.v_max.max(state.v);
        let denominator = (state.v_max / bias2).sqrt() + hyper.epsilon;
        let direction = if denominator == 0.0 { 0.0 } else { state.m / denominator };
        // At a rate of 0 the parameter keeps its bits, whatever the direction is.
        if hyper.learning_rate != 0.0 {
            *param -= hyper.learning_rate / bias1 * direction;
        }
    }
}
