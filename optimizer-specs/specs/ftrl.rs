/// FTRL-Proximal: follow the regularized leader, with L1 and L2 penalties.
///
/// McMahan et al., "Ad Click Prediction: a View from the Trenches", KDD 2013, Algorithm 1, with the power of the sum of
/// squares as a parameter. Follows pytorch_optimizer's `FTRL`: with `q = −lr_power`, `σ = ((n + g²)^q − n^q) / lr`,
/// `z += g − σ·p`, `n += g²`, and `p ← (sign(z)·λ₁ − z) / ((β + n^q) / lr + λ₂)`, 0 where `|z| < λ₁`.
///
/// A parameter that has had no gradient but 0 stays where it is, as long as β and λ₂ are 0; the formula divides by 0 there.
#[gpu_optimizer]
pub mod ftrl {
    /// Hyper-parameters of [`GpuFtrl`].
    pub struct FtrlParams {
        /// Step size.
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        /// How the step size of a parameter falls with its sum of squares. None is the paper's −0.5, which takes a root; a power
        /// that is given costs more arithmetic than memory.
        #[hyper(default = None, range = -1.0..=0.0)]
        pub lr_power: Option<f32>,
        /// Added to the power of the sum of squares.
        #[hyper(default = 0.0, range = 0.0..)]
        pub beta: f32,
        /// L1 penalty: a parameter that the sum of gradients does not hold against it is 0.
        #[hyper(default = 0.0, range = 0.0..)]
        pub lambda1: f32,
        /// L2 penalty.
        #[hyper(default = 0.0, range = 0.0..)]
        pub lambda2: f32,
    }

    pub struct State {
        /// Sum of the gradients, less what the parameters that they were taken at hold against them.
        z: f32,
        /// Sum of the squared gradients.
        n: f32,
    }

    fn raised(n: f32, hyper: &FtrlParams) -> f32 {
        if hyper.lr_power.is_some() { n.powf(-hyper.lr_power.unwrap_or(-0.5)) } else { n.sqrt() }
    }

    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &FtrlParams) {
        let before = raised(state.n, hyper);
        // At a rate of 0 the parameter and its states keep their bits, whatever the gradient is.
        if hyper.learning_rate != 0.0 {
            state.n += grad * grad;
            let after = raised(state.n, hyper);
            let sigma = (after - before) / hyper.learning_rate;
            state.z += grad - sigma * *param;
            let denominator = (hyper.beta + after) / hyper.learning_rate + hyper.lambda2;
            let held = if state.z.abs() < hyper.lambda1 {
                0.0
            } else {
                (sign(state.z) * hyper.lambda1 - state.z) / denominator
            };
            *param = if denominator == 0.0 { *param } else { held };
        }
    }
}
