/// Padam: Adam whose denominator is raised to a power between SGD's 0 and Adam's ½.
///
/// Chen et al., "Closing the Generalization Gap of Adaptive Gradient Methods in Training Deep Neural Networks", IJCAI 2020,
/// Algorithm 1, without its maximum over v. Follows the authors' code and pytorch_optimizer's `PAdam`: with
/// `g = grad + weight_decay·p`, `m = β₁·m + (1 − β₁)·g`, `v = β₂·v + (1 − β₂)·g²`,
/// `p ← p − lr·√(1 − β₂ᵗ) / (1 − β₁ᵗ) · m / (√v + ε)^(2·partial)`.
///
/// Where the denominator is 0 (ε = 0 and every gradient so far 0) the update is 0.
#[gpu_optimizer]
pub mod padam {
    /// Hyper-parameters of [`GpuPadam`].
    pub struct PadamParams {
        /// Step size; the authors train with 0.1.
        #[hyper(default = 1e-1, range = 0.0..)]
        pub learning_rate: f32,
        /// Decay of the first moment.
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        /// Decay of the second moment.
        #[hyper(default = 0.999, range = 0.0..1.0)]
        pub beta2: f32,
        /// Power of v: ½ is Adam, 0 SGD with momentum. None is ¼, which takes two roots; a power that is given costs more
        /// arithmetic than memory.
        #[hyper(default = None, range = 0.0..=0.5)]
        pub partial: Option<f32>,
        /// Added to the root of the second moment.
        #[hyper(default = 1e-8, range = 0.0..)]
        pub epsilon: f32,
        /// L2 penalty, added to the gradient.
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }

    pub struct State {
        /// First moment.
        m: f32,
        /// Second moment.
        v: f32,
    }

    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &PadamParams, step: u32) {
        let bias1 = 1.0 - hyper.beta1.powi(step);
        let bias2 = 1.0 - hyper.beta2.powi(step);
        let g = grad + hyper.weight_decay * *param;
        state.m = hyper.beta1 * state.m + (1.0 - hyper.beta1) * g;
        state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * g * g;
        let root = state.v.sqrt() + hyper.epsilon;
        let denominator =
            if hyper.partial.is_some() { root.powf(2.0 * hyper.partial.unwrap_or(0.25)) } else { root.sqrt() };
        let direction = if denominator == 0.0 { 0.0 } else { state.m / denominator };
        // At a rate of 0 the parameter keeps its bits, whatever the direction is.
        if hyper.learning_rate != 0.0 {
            *param -= hyper.learning_rate * bias2.sqrt() / bias1 * direction;
        }
    }
}
