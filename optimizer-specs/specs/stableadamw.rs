/// StableAdamW: AdamW with the rate of each tensor cut where its second moment lags behind the gradient.
///
/// Wortsman et al., "Stable and low-precision training for large-scale vision-language models", NeurIPS 2023, Algorithm
/// 2, as pytorch_optimizer has it: bias-corrected moments `m̂` and `v̂` kept as states (`β̂ = 1 − (1 − β)/(1 − βᵗ)`),
/// `RMS = √(mean(grad²/max(v̂, ε²)))` over the tensor, `lrₜ = lr/max(1, RMS)`, `p ← (1 − lrₜ·weight_decay)p −
/// lrₜ·m̂/(√v̂ + ε)`.
///
/// Where `max(v̂, ε²)` is 0 an element counts 0; where `√v̂ + ε` is 0 the update is 0.
#[gpu_optimizer]
pub mod stableadamw {
    /// Hyper-parameters of [`GpuStableAdamW`].
    pub struct StableAdamWParams {
        /// Step size.
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        /// Decay rate β₁ of the first moment.
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        /// Decay rate β₂ of the second moment.
        #[hyper(default = 0.99, range = 0.0..1.0)]
        pub beta2: f32,
        /// Added to the root of the second moment.
        #[hyper(default = 1e-8, range = 0.0..)]
        pub epsilon: f32,
        /// Decoupled weight decay: the share `lr·weight_decay` of the parameter goes at each step.
        #[hyper(default = 1e-2, range = 0.0..)]
        pub weight_decay: f32,
    }

    pub struct State {
        /// First moment, bias-corrected.
        m: f32,
        /// Second moment, bias-corrected.
        v: f32,
    }

    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &StableAdamWParams, step: u32) {
        let weight1 = (1.0 - hyper.beta1) / (1.0 - hyper.beta1.powi(step));
        let weight2 = (1.0 - hyper.beta2) / (1.0 - hyper.beta2.powi(step));
        state.m = (1.0 - weight1) * state.m + weight1 * grad;
        state.v = (1.0 - weight2) * state.v + weight2 * grad * grad;
        let least = state.v.max(hyper.epsilon * hyper.epsilon);
        let rms = mean(if least == 0.0 { 0.0 } else { grad * grad / least }).sqrt();
        let rate = hyper.learning_rate / rms.max(1.0);
        let denominator = state.v.sqrt() + hyper.epsilon;
        let direction = if denominator == 0.0 { 0.0 } else { state.m / denominator };
        // At a rate of 0 the parameter keeps its bits, whatever the direction is.
        if hyper.learning_rate != 0.0 {
            *param *= 1.0 - rate * hyper.weight_decay;
            *param -= rate * direction;
        }
    }
}
