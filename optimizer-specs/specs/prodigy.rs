/// Prodigy: AdamW that estimates its own step size over all tensors.
///
/// Mishchenko & Defazio, "Prodigy: An Expeditiously Adaptive Parameter-Free Learner", ICML 2024, Algorithm 4, as the
/// authors' code and pytorch_optimizer have it. `d` estimates the distance to the solution: with `dlr = d·lr·bias`, the
/// numerator `r = β₃r + d/d₀·dlr·Σ grad·(p₀ − p)` and `s = β₃s + d/d₀·dlr·grad` (sums over all tensors), `d̂ =
/// d_coef·r/Σ|s|`, and `d` never falls; `m = β₁m + d(1 − β₁)grad`, `v = β₂v + d²(1 − β₂)grad²`, `p ← (1 −
/// weight_decay·dlr)p − dlr·m/(√v + d·ε)`. Leave the learning rate at 1, and let a schedule move it.
#[gpu_optimizer]
pub mod prodigy {
    /// Hyper-parameters of [`GpuProdigy`].
    pub struct ProdigyParams {
        /// Factor of the estimated step size.
        #[hyper(default = 1.0, range = 0.0.., shared)]
        pub learning_rate: f32,
        /// Decay rate β₁ of the first moment.
        #[hyper(default = 0.9, range = 0.0..1.0, shared)]
        pub beta1: f32,
        /// Decay rate β₂ of the second moment.
        #[hyper(default = 0.999, range = 0.0..1.0, shared)]
        pub beta2: f32,
        /// Decay rate β₃ of the sums that estimate the step size; `None` for √β₂.
        #[hyper(default = None, range = 0.0..1.0, shared)]
        pub beta3: Option<f32>,
        /// Added to the root of the second moment.
        #[hyper(default = 1e-8, range = 0.0..)]
        pub epsilon: f32,
        /// Decoupled weight decay: the share `dlr·weight_decay` of the parameter goes at each step.
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
        /// First estimate d₀ of the step size.
        #[hyper(default = 1e-6, range = 0.0.., shared)]
        pub d0: f32,
        /// Factor of the estimate.
        #[hyper(default = 1.0, range = 0.0.., shared)]
        pub d_coef: f32,
        /// Largest growth of the estimate from one step to the next; `None` for no limit.
        #[hyper(default = None, range = 1.0.., shared)]
        pub growth_rate: Option<f32>,
        /// Whether a warm-up of the learning rate is kept out of the estimate.
        #[hyper(default = false)]
        pub safeguard_warmup: bool,
        /// Whether the rate is corrected for the bias of Adam's moments.
        #[hyper(default = false)]
        pub bias_correction: bool,
    }

    pub struct State {
        /// First moment of `d·grad`.
        m: f32,
        /// Second moment of `d·grad`.
        v: f32,
        /// Decaying sum of the weighted gradients.
        s: f32,
        /// The parameter before the first step.
        #[init(param)]
        p0: f32,
        /// Estimate of the step size.
        #[all]
        #[init(d0)]
        d: f32,
        /// The largest estimate so far.
        #[all]
        #[init(d0)]
        d_max: f32,
        /// Numerator of the estimate.
        #[all]
        numerator: f32,
    }

    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &ProdigyParams, run: u32) {
        let beta3 = hyper.beta3.unwrap_or(hyper.beta2.sqrt());
        let bias = if hyper.bias_correction {
            (1.0 - hyper.beta2.powi(run)).sqrt() / (1.0 - hyper.beta1.powi(run))
        } else {
            1.0
        };
        let d = state.d;
        let d_lr = d * (hyper.learning_rate * bias);
        let gain = d / hyper.d0;
        state.numerator = beta3 * state.numerator + gain * d_lr * all::sum(grad * (state.p0 - *param));
        state.s = beta3 * state.s + gain * (if hyper.safeguard_warmup { d } else { d_lr }) * grad;
        let weight = all::sum(state.s.abs());
        state.m = hyper.beta1 * state.m + d * (1.0 - hyper.beta1) * grad;
        state.v = hyper.beta2 * state.v + d * d * (1.0 - hyper.beta2) * (grad * grad);
        // Nothing has moved yet, or the learning rate is 0.
        if weight > 0.0 {
            let estimate = hyper.d_coef * state.numerator / weight;
            let first = if d == hyper.d0 { d.max(estimate) } else { d };
            state.d_max = state.d_max.max(estimate);
            state.d =
                if let Some(growth) = hyper.growth_rate { (first * growth).min(state.d_max) } else { state.d_max };
            let denominator = state.v.sqrt() + state.d * hyper.epsilon;
            let direction = if denominator == 0.0 { 0.0 } else { state.m / denominator };
            if hyper.learning_rate != 0.0 {
                *param *= 1.0 - hyper.weight_decay * d_lr;
                *param -= d_lr * direction;
            }
        }
    }
}
