// DualAdam of pytorch_optimizer: inverse Adam, which multiplies by the denominator, blended into Adam over the first
// steps.
#[gpu_optimizer]
pub mod dual_adam {
    pub struct DualAdamParams {
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        #[hyper(default = 0.999, range = 0.0..1.0)]
        pub beta2: f32,
        #[hyper(default = 0.01, range = 0.0..)]
        pub switch_rate: f32,
        #[hyper(default = 1e-8, range = 1e-30..)]
        pub epsilon: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }
    pub struct State {
        m: f32,
        v: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &DualAdamParams, step: u32) {
        let bias1 = 1.0 - hyper.beta1.powi(step);
        let bias2 = 1.0 - hyper.beta2.powi(step);
        let inverse = (1.0 - step as f32 * hyper.switch_rate).max(0.0);
        let g = grad + hyper.weight_decay * *param;
        state.m = lerp(state.m, g, 1.0 - hyper.beta1);
        state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * g * g;
        let m_hat = state.m / bias1;
        let denominator = (state.v / bias2).sqrt() + hyper.epsilon;
        *param -= if inverse >= hyper.switch_rate {
            hyper.learning_rate * (m_hat * lerp(1.0 / denominator, denominator, inverse))
        } else {
            hyper.learning_rate * (m_hat / denominator)
        };
    }
}
