/// Sophia-G: momentum divided by an estimate of the Hessian's diagonal and clipped per element.
///
/// Liu et al., "Sophia: A Scalable Stochastic Second-order Optimizer for Language Model Pre-training", ICLR 2024,
/// Algorithm 3, as the authors' code has it: `m = β₁m + (1 − β₁)grad`, `p ← (1 − lr·weight_decay)p − lr·sign(m)·min(1,
/// |m|/(ρ·B·h + ε))`, B the batch size (in tokens for language models). The estimate is given by the caller: every ten
/// steps or so, write the squared gradient of a loss on sampled labels (Gauss–Newton–Bartlett) as input `hessian` and
/// run the entry `refresh`: `h = β₂h + (1 − β₂)hessian`.
///
/// Where the denominator is 0 the element moves by its whole step `lr·sign(m)`.
#[gpu_optimizer]
pub mod sophia {
    /// Hyper-parameters of [`GpuSophia`].
    pub struct SophiaParams {
        /// Step size.
        #[hyper(default = 1e-4, range = 0.0..)]
        pub learning_rate: f32,
        /// Decay rate β₁ of the momentum.
        #[hyper(default = 0.965, range = 0.0..1.0)]
        pub beta1: f32,
        /// Decay rate β₂ of the Hessian estimate.
        #[hyper(default = 0.99, range = 0.0..1.0)]
        pub beta2: f32,
        /// Factor ρ of the Hessian: larger means fewer elements clipped less.
        #[hyper(default = 0.04, range = 0.0..)]
        pub rho: f32,
        /// Added to the denominator.
        #[hyper(default = 1e-15, range = 0.0..)]
        pub epsilon: f32,
        /// Decoupled weight decay: the share `lr·weight_decay` of the parameter goes at each step.
        #[hyper(default = 0.1, range = 0.0..)]
        pub weight_decay: f32,
    }

    pub struct State {
        /// Momentum: decaying mean of the gradient.
        m: f32,
        /// Estimate of the diagonal of the Hessian.
        h: f32,
    }

    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &SophiaParams, #[scalar] batch_size: f32) {
        state.m = hyper.beta1 * state.m + (1.0 - hyper.beta1) * grad;
        let denominator = hyper.rho * batch_size * state.h + hyper.epsilon;
        let ratio = if denominator == 0.0 { 1.0 } else { (state.m.abs() / denominator).min(1.0) };
        // At a rate of 0 the parameter keeps its bits, whatever the direction is.
        if hyper.learning_rate != 0.0 {
            *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
            *param -= hyper.learning_rate * (sign(state.m) * ratio);
        }
    }

    /// Takes in a new estimate of the Hessian's diagonal.
    #[entry]
    fn refresh(state: &mut State, hyper: &SophiaParams, #[input] hessian: f32) {
        state.h = hyper.beta2 * state.h + (1.0 - hyper.beta2) * hessian;
    }
}
