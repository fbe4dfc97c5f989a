// MARS with AdamW: gradients corrected by their change, for less variance, and clipped to norm 1; tensors of one
// dimension have plain AdamW. Yuan et al., "MARS: Unleashing the Power of Variance Reduction for Training Large
// Models", arXiv:2411.10438.
#[gpu_optimizer]
pub mod mars {
    pub struct MarsParams {
        #[hyper(default = 3e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.95, range = 0.0..1.0)]
        pub beta1: f32,
        #[hyper(default = 0.99, range = 0.0..1.0)]
        pub beta2: f32,
        #[hyper(default = 0.025, range = 0.0..)]
        pub gamma: f32,
        #[hyper(default = 1e-8, range = 1e-30..)]
        pub epsilon: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
        #[hyper(default = false)]
        pub optimize_1d: bool,
        #[hyper(default = 1.0, range = 0.0..)]
        pub learning_rate_1d_factor: f32,
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1_1d: f32,
        #[hyper(default = 0.95, range = 0.0..1.0)]
        pub beta2_1d: f32,
        #[hyper(default = 0.1, range = 0.0..)]
        pub weight_decay_1d: f32,
    }
    pub struct State {
        m: f32,
        v: f32,
        last: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &MarsParams, step: u32) {
        let corrects = hyper.optimize_1d || ndim() >= 2;
        let rate = if corrects { hyper.learning_rate } else { hyper.learning_rate * hyper.learning_rate_1d_factor };
        let decay = if corrects { hyper.weight_decay } else { hyper.weight_decay_1d };
        let beta1 = if corrects { hyper.beta1 } else { hyper.beta1_1d };
        let beta2 = if corrects { hyper.beta2 } else { hyper.beta2_1d };
        let corrected = (grad - state.last) * (hyper.gamma * (beta1 / (1.0 - beta1))) + grad;
        let size = norm(corrected);
        let g = if !corrects {
            grad
        } else if size > 1.0 {
            corrected / size
        } else {
            corrected
        };
        state.last = grad;
        state.m = lerp(state.m, g, 1.0 - beta1);
        state.v = beta2 * state.v + (1.0 - beta2) * g * g;
        let (bias1, bias2) = (1.0 - beta1.powi(step), 1.0 - beta2.powi(step));
        let denominator = ((state.v + 1e-15).sqrt() + hyper.epsilon) / bias2.sqrt() * bias1;
        *param *= 1.0 - decay * rate;
        *param -= rate * (state.m / denominator);
    }
}
