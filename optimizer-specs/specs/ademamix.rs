/// AdEMAMix: AdamW with a second, slow first moment.
///
/// Pagliardini, Ablin & Grangier, "The AdEMAMix Optimizer: Better, Faster, Older", ICLR 2025, Algorithm 1, with its
/// warm-up of α and β₃: with Adam's `m` and `v`, `n = β₃n + (1 − β₃)grad` (no bias correction), `p ← (1 −
/// lr·weight_decay)p − lr·(m/(1 − β₁ᵗ) + αₜn) / (√(v/(1 − β₂ᵗ)) + ε)`. Over the first `warmup_steps` steps α grows in a
/// line from 0 and β₃ from β₁, in a line of its half-life; 0, as in pytorch_optimizer's default, means that both have
/// their values at once.
///
/// Where the denominator is 0 (ε = 0 and every gradient so far 0) the update is 0.
#[gpu_optimizer]
#[require(warmup_steps == 0 || 0.0 < beta1 && beta1 <= beta3, "a warm-up needs 0 < beta1 <= beta3")]
pub mod ademamix {
    /// Hyper-parameters of [`GpuAdEmaMix`].
    pub struct AdEmaMixParams {
        /// Step size.
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        /// Decay rate β₁ of the first moment.
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        /// Decay rate β₂ of the second moment.
        #[hyper(default = 0.999, range = 0.0..1.0)]
        pub beta2: f32,
        /// Decay rate β₃ of the slow first moment.
        #[hyper(default = 0.9999, range = 0.0..1.0)]
        pub beta3: f32,
        /// Weight α of the slow first moment.
        #[hyper(default = 5.0, range = 0.0..)]
        pub alpha: f32,
        /// Steps over which α and β₃ come up; 0 for none.
        #[hyper(default = 0)]
        pub warmup_steps: u32,
        /// Added to the root of the second moment.
        #[hyper(default = 1e-8, range = 0.0..)]
        pub epsilon: f32,
        /// Decoupled weight decay: the share `lr·weight_decay` of the parameter goes at each step.
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }

    pub struct State {
        /// First moment: decaying mean of the gradient.
        m: f32,
        /// Slow first moment.
        n: f32,
        /// Second moment: decaying mean of the squared gradient.
        v: f32,
    }

    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &AdEmaMixParams, step: u32) {
        let bias1 = 1.0 - hyper.beta1.powi(step);
        let bias2 = 1.0 - hyper.beta2.powi(step);
        let warm = if step < hyper.warmup_steps { step as f32 / hyper.warmup_steps as f32 } else { 1.0 };
        let beta3 = if step < hyper.warmup_steps {
            let (fast, slow) = (hyper.beta1.ln(), hyper.beta3.ln());
            (fast * slow / ((1.0 - warm) * slow + warm * fast)).exp()
        } else {
            hyper.beta3
        };
        state.m = hyper.beta1 * state.m + (1.0 - hyper.beta1) * grad;
        state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * grad * grad;
        state.n = beta3 * state.n + (1.0 - beta3) * grad;
        let denominator = (state.v / bias2).sqrt() + hyper.epsilon;
        let momentum = 1.0 / bias1 * state.m + hyper.alpha * warm * state.n;
        let direction = if denominator == 0.0 { 0.0 } else { momentum / denominator };
        // At a rate of 0 the parameter keeps its bits, whatever the direction is.
        if hyper.learning_rate != 0.0 {
            *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
            *param -= hyper.learning_rate * direction;
        }
    }
}
