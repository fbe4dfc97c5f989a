/// ADOPT: Adam with the gradient normalized by the second moment of the steps before.
///
/// Taniguchi et al., "ADOPT: Modified Adam Can Converge with Any β₂ with the Optimal Rate", NeurIPS 2024, Algorithm 2,
/// clipped, as pytorch_optimizer has it: the first step sets `v = grad²` and moves nothing; then `n = clamp(grad /
/// max(√v, ε), ±t^¼)`, `m = β₁m + (1 − β₁)n`, `p ← (1 − lr·weight_decay)p − lr·m`, and last `v = β₂v + (1 − β₂)grad²`.
/// `t` counts this step; the authors' code counts the steps that moved something, one fewer.
///
/// Where `√v` and ε are 0 the normalized gradient is 0.
#[gpu_optimizer]
pub mod adopt {
    /// Hyper-parameters of [`GpuAdopt`].
    pub struct AdoptParams {
        /// Step size.
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        /// Decay rate β₁ of the momentum.
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        /// Decay rate β₂ of the second moment.
        #[hyper(default = 0.9999, range = 0.0..1.0)]
        pub beta2: f32,
        /// Least denominator.
        #[hyper(default = 1e-6, range = 0.0..)]
        pub epsilon: f32,
        /// L2 penalty, or decoupled weight decay if `decoupled_weight_decay` is set.
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
        /// Whether weight decay is decoupled: a share `lr·weight_decay` of the parameter, instead of an L2 penalty.
        #[hyper(default = false)]
        pub decoupled_weight_decay: bool,
        /// Whether the normalized gradient is clipped to ±t^¼.
        #[hyper(default = true)]
        pub clip: bool,
    }

    pub struct State {
        /// Momentum: decaying mean of the normalized gradient.
        m: f32,
        /// Second moment of the gradients before this one.
        v: f32,
    }

    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &AdoptParams, step: u32) {
        let g = if hyper.decoupled_weight_decay { grad } else { grad + hyper.weight_decay * *param };
        if step == 1 {
            state.v = g * g;
        } else {
            let denominator = state.v.sqrt().max(hyper.epsilon);
            let normalized = if denominator == 0.0 { 0.0 } else { g / denominator };
            let bound = (step as f32).powf(0.25);
            let clipped = if hyper.clip { normalized.clamp(-bound, bound) } else { normalized };
            state.m = hyper.beta1 * state.m + (1.0 - hyper.beta1) * clipped;
            state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * g * g;
            // At a rate of 0 the parameter keeps its bits, whatever the direction is.
            if hyper.learning_rate != 0.0 {
                if hyper.decoupled_weight_decay {
                    *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
                }
                *param -= hyper.learning_rate * state.m;
            }
        }
    }
}
