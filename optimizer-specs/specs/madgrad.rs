/// MADGRAD: dual averaging from where the parameters began, with a cube root in the denominator and momentum.
///
/// Defazio & Jelassi, "Adaptivity without Compromise: A Momentumized, Adaptive, Dual Averaged Gradient Method for
/// Stochastic Optimization", JMLR 2022, Algorithm 1. Follows the authors' code, as pytorch_optimizer's `MADGRAD` does: with
/// `g = grad + weight_decay·p` and `λ = (lr + ε)·√run`, `v += λ·g²`, `s += λ·g`, `z = x₀ − s / (∛v + ε)`,
/// `p ← momentum·p + (1 − momentum)·z`. Without momentum x₀ is not kept: it is `p + s / (∛v + ε)`, of s and v as they were.
///
/// Where the denominator is 0 (ε = 0 and every gradient so far 0) the quotient is 0.
#[gpu_optimizer]
pub mod madgrad {
    /// Hyper-parameters of [`GpuMadgrad`].
    pub struct MadgradParams {
        /// Step size; ε is added to it. Larger ones than Adam's are usual.
        #[hyper(default = 1e-2, range = 0.0..)]
        pub learning_rate: f32,
        /// Share of the parameter that a step keeps; 0 turns momentum off, and the memory of x₀ with it.
        #[hyper(default = 0.9, range = 0.0..1.0, switch)]
        pub momentum: f32,
        /// Added to the cube root and to the learning rate.
        #[hyper(default = 1e-6, range = 0.0..)]
        pub epsilon: f32,
        /// L2 penalty, added to the gradient.
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }

    pub struct State {
        /// Weighted sum of the squared gradients.
        v: f32,
        /// Weighted sum of the gradients.
        s: f32,
        /// Where the parameter began.
        #[init(param)]
        x0: f32,
    }

    fn quotient(s: f32, v: f32, hyper: &MadgradParams) -> f32 {
        let denominator = v.cbrt() + hyper.epsilon;
        if denominator == 0.0 { 0.0 } else { s / denominator }
    }

    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &MadgradParams, run: u32) {
        let rate = (hyper.learning_rate + hyper.epsilon) * (run as f32).sqrt();
        let g = grad + hyper.weight_decay * *param;
        let x0 = if hyper.momentum == 0.0 { *param + quotient(state.s, state.v, hyper) } else { state.x0 };
        // At a rate of 0 the parameter and its states keep their bits, whatever the gradient is.
        if hyper.learning_rate != 0.0 {
            state.v += rate * (g * g);
            state.s += rate * g;
            let z = x0 - quotient(state.s, state.v, hyper);
            *param = if hyper.momentum == 0.0 { z } else { lerp(*param, z, 1.0 - hyper.momentum) };
        }
    }
}
