// Adan, official proximal form, with the global clip as an option.
#[gpu_optimizer]
pub mod adan {
    pub struct AdanParams {
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.98, range = 0.0..1.0)]
        pub beta1: f32,
        #[hyper(default = 0.92, range = 0.0..1.0)]
        pub beta2: f32,
        #[hyper(default = 0.99, range = 0.0..1.0)]
        pub beta3: f32,
        #[hyper(default = 1e-8, range = 0.0..)]
        pub epsilon: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
        #[hyper(default = 0.0, range = 0.0.., switch, shared)]
        pub max_grad_norm: f32,
        #[hyper(default = true)]
        pub proximal: bool,
    }
    pub struct State {
        m: f32,
        d: f32,
        n: f32,
        prev: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &AdanParams, step: u32) {
        let g = if hyper.max_grad_norm > 0.0 {
            grad * (hyper.max_grad_norm / (all::norm(grad) + hyper.epsilon)).min(1.0) // epsilon: shared too, then
        } else {
            grad
        };
        let diff = if step == 1 { 0.0 } else { g - state.prev };
        let look = g + hyper.beta2 * diff;
        state.m = hyper.beta1 * state.m + (1.0 - hyper.beta1) * g;
        state.d = hyper.beta2 * state.d + (1.0 - hyper.beta2) * diff;
        state.n = hyper.beta3 * state.n + (1.0 - hyper.beta3) * look * look;
        state.prev = g;
        let bias1 = 1.0 - hyper.beta1.powi(step);
        let bias2 = 1.0 - hyper.beta2.powi(step);
        let bias3 = 1.0 - hyper.beta3.powi(step);
        let denom = (state.n / bias3).sqrt() + hyper.epsilon;
        let u = (state.m / bias1 + hyper.beta2 / bias2 * state.d) / denom;
        let decay = hyper.learning_rate * hyper.weight_decay;
        if hyper.proximal {
            *param = (*param - hyper.learning_rate * u) / (1.0 + decay);
        } else {
            *param = *param * (1.0 - decay) - hyper.learning_rate * u;
        }
    }
}
