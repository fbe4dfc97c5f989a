/// ASGD: stochastic gradient descent with a decaying rate, and the average of its iterates.
///
/// Polyak & Juditsky, "Acceleration of Stochastic Approximation by Averaging", SIAM J. Control Optim. 30 (1992), in the
/// form of `torch.optim.ASGD`: with `η = lr/(1 + λ·lr·(t − 1))^α`, `g = grad + weight_decay·p`, `p ← (1 − λη)p − ηg`;
/// the average is `a ← a + (p − a)/max(1, t − 1 − t₀)`, so that it follows the parameter up to step t₀ + 1. Read it by
/// the name of its state, `average`.
///
/// torch makes a step's rate at the end of the step before, so that a change of `lr` reaches it one step later; here it
/// is the current `lr` that counts.
#[gpu_optimizer]
pub mod asgd {
    /// Hyper-parameters of [`GpuAsgd`].
    pub struct AsgdParams {
        /// Step size.
        #[hyper(default = 1e-2, range = 0.0..)]
        pub learning_rate: f32,
        /// Decay λ of the parameter and of the rate.
        #[hyper(default = 1e-4, range = 0.0..)]
        pub lambd: f32,
        /// Power α of the decay of the rate.
        #[hyper(default = 0.75, range = 0.0..)]
        pub alpha: f32,
        /// Step t₀ after which averaging begins.
        #[hyper(default = 1e6, range = 0.0..)]
        pub t0: f32,
        /// L2 penalty, added to the gradient.
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }

    pub struct State {
        /// Average of the parameter since step t₀ + 1.
        #[keep]
        #[init(param)]
        average: f32,
    }

    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &AsgdParams, step: u32) {
        let before = step as f32 - 1.0;
        let rate = hyper.learning_rate / (1.0 + hyper.lambd * hyper.learning_rate * before).powf(hyper.alpha);
        let g = grad + hyper.weight_decay * *param;
        // At a rate of 0 the parameter keeps its bits, whatever the direction is.
        if hyper.learning_rate != 0.0 {
            *param *= 1.0 - hyper.lambd * rate;
            *param -= rate * g;
        }
        let weight = 1.0 / (before - hyper.t0).max(1.0);
        state.average = if weight == 1.0 { *param } else { state.average + weight * (*param - state.average) };
    }
}
