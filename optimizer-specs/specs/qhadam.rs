/// QHAdam: Adam with both moments averaged with the gradient itself.
///
/// Ma & Yarats, "Quasi-hyperbolic momentum and Adam for deep learning", ICLR 2019, Algorithm 2, as the authors'
/// `qhoptim` and pytorch_optimizer have it: bias-corrected `m̂` and `v̂`, `p ← p − lr·((1 − ν₁)g + ν₁m̂) / (√((1 −
/// ν₂)g² + ν₂v̂) + ε)`. The states hold the corrected moments: `m̂ = w₁m̂ + (1 − w₁)g` with `w₁ = β₁(1 − β₁ᵗ⁻¹)/(1 −
/// β₁ᵗ)`, `w₂` alike. ν₁ = ν₂ = 1 is Adam.
///
/// Where the denominator is 0 (ε = 0 and every gradient so far 0) the update is 0.
#[gpu_optimizer]
pub mod qhadam {
    /// Hyper-parameters of [`GpuQhAdam`].
    pub struct QhAdamParams {
        /// Step size.
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        /// Decay rate β₁ of the first moment.
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        /// Decay rate β₂ of the second moment.
        #[hyper(default = 0.999, range = 0.0..1.0)]
        pub beta2: f32,
        /// Weight ν₁ of the first moment against the gradient.
        #[hyper(default = 1.0, range = 0.0..=1.0)]
        pub nu1: f32,
        /// Weight ν₂ of the second moment against the squared gradient.
        #[hyper(default = 1.0, range = 0.0..=1.0)]
        pub nu2: f32,
        /// Added to the root of the second moment.
        #[hyper(default = 1e-8, range = 0.0..)]
        pub epsilon: f32,
        /// L2 penalty, or decoupled weight decay if `decoupled_weight_decay` is set.
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
        /// Whether weight decay is decoupled: a share `lr·weight_decay` of the parameter, instead of an L2 penalty.
        #[hyper(default = false)]
        pub decoupled_weight_decay: bool,
    }

    pub struct State {
        /// First moment, bias-corrected.
        m: f32,
        /// Second moment, bias-corrected.
        v: f32,
    }

    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &QhAdamParams, step: u32) {
        let weight1 = hyper.beta1 * (1.0 - hyper.beta1.powi(step - 1)) / (1.0 - hyper.beta1.powi(step));
        let weight2 = hyper.beta2 * (1.0 - hyper.beta2.powi(step - 1)) / (1.0 - hyper.beta2.powi(step));
        if hyper.decoupled_weight_decay && hyper.learning_rate != 0.0 {
            *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
        }
        let g = if hyper.decoupled_weight_decay { grad } else { grad + hyper.weight_decay * *param };
        state.m = weight1 * state.m + (1.0 - weight1) * g;
        state.v = weight2 * state.v + (1.0 - weight2) * g * g;
        let momentum = (1.0 - hyper.nu1) * g + hyper.nu1 * state.m;
        let squared = (1.0 - hyper.nu2) * g * g + hyper.nu2 * state.v;
        let denominator = squared.sqrt() + hyper.epsilon;
        let direction = if denominator == 0.0 { 0.0 } else { momentum / denominator };
        // At a rate of 0 the parameter keeps its bits, whatever the direction is.
        if hyper.learning_rate != 0.0 {
            *param -= hyper.learning_rate * direction;
        }
    }
}
