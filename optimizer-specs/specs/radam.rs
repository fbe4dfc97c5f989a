/// RAdam: Adam whose adaptive rate is rectified, and left out while its variance cannot be told.
///
/// Liu et al., "On the Variance of the Adaptive Learning Rate and Beyond", ICLR 2020, Algorithm 2, as
/// `torch.optim.RAdam` has it: `ρ∞ = 2/(1 − β₂) − 1`, `ρₜ = ρ∞ − 2tβ₂ᵗ/(1 − β₂ᵗ)`; with Adam's `m` and `v` (of `grad +
/// weight_decay·p` unless decay is decoupled) and `m̂ = m/(1 − β₁ᵗ)`: if `ρₜ > 5`, `p ← p − lr·r·√(1 − β₂ᵗ)·m̂/(√v +
/// ε)` with `r = √((ρₜ − 4)(ρₜ − 2)ρ∞ / ((ρ∞ − 4)(ρ∞ − 2)ρₜ))`, else `p ← p − lr·m̂`. The paper's threshold is 4,
/// torch's and its authors' code's 5; ε is inside the corrected root in the paper, added to the uncorrected one in
/// torch.
///
/// Where the denominator is 0 (ε = 0 and every gradient so far 0) the update is 0.
#[gpu_optimizer]
pub mod radam {
    /// Hyper-parameters of [`GpuRAdam`].
    pub struct RAdamParams {
        /// Step size.
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        /// Decay rate β₁ of the first moment.
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        /// Decay rate β₂ of the second moment.
        #[hyper(default = 0.999, range = 0.0..1.0)]
        pub beta2: f32,
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
        /// First moment: decaying mean of the gradient.
        m: f32,
        /// Second moment: decaying mean of the squared gradient.
        v: f32,
    }

    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &RAdamParams, step: u32) {
        let beta2_t = hyper.beta2.powi(step);
        let bias1 = 1.0 - hyper.beta1.powi(step);
        let bias2 = 1.0 - beta2_t;
        let rho_inf = 2.0 / (1.0 - hyper.beta2) - 1.0;
        let rho = rho_inf - 2.0 * step as f32 * beta2_t / bias2;
        if hyper.decoupled_weight_decay && hyper.learning_rate != 0.0 {
            *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
        }
        let g = if hyper.decoupled_weight_decay { grad } else { grad + hyper.weight_decay * *param };
        state.m = hyper.beta1 * state.m + (1.0 - hyper.beta1) * g;
        state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * g * g;
        let denominator = state.v.sqrt() + hyper.epsilon;
        let direction = if denominator == 0.0 { 0.0 } else { state.m / denominator };
        // At a rate of 0 the parameter keeps its bits, whatever the direction is.
        if hyper.learning_rate != 0.0 {
            if rho > 5.0 {
                let rectified =
                    ((rho - 4.0) * (rho - 2.0) * rho_inf / ((rho_inf - 4.0) * (rho_inf - 2.0) * rho)).sqrt();
                let rectified_rate = hyper.learning_rate * rectified * bias2.sqrt() / bias1;
                *param -= rectified_rate * direction;
            } else {
                *param -= hyper.learning_rate / bias1 * state.m;
            }
        }
    }
}
