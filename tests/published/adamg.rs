// AdamG: Adam with a mean of a power of its second moment for the step size. Pang et al., "Towards Stability of
// Parameter-free Optimization", arXiv:2405.04376.
#[gpu_optimizer]
pub mod adamg {
    pub struct AdamGParams {
        #[hyper(default = 1.0, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.95, range = 0.0..1.0)]
        pub beta1: f32,
        #[hyper(default = 0.999, range = 0.0..1.0)]
        pub beta2: f32,
        #[hyper(default = 0.95, range = 0.0..1.0)]
        pub beta3: f32,
        #[hyper(default = 0.2, range = 0.0..)]
        pub p: f32,
        #[hyper(default = 0.24, range = 0.0..)]
        pub q: f32,
        #[hyper(default = 1e-8, range = 1e-30..)]
        pub epsilon: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }
    pub struct State {
        m: f32,
        v: f32,
        r: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &AdamGParams, step: u32) {
        let bias1 = 1.0 - hyper.beta1.powi(step);
        let bias2 = 1.0 - hyper.beta2.powi(step);
        let rate = hyper.learning_rate.min(1.0 / (step as f32).sqrt());
        let g = grad + hyper.weight_decay * *param;
        state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * g * g;
        state.r = lerp(state.r, hyper.p * state.v.powf(hyper.q), 1.0 - hyper.beta3);
        state.m = hyper.beta1 * state.m + (1.0 - hyper.beta1) * state.r * g;
        *param -= rate / bias1 * (state.m / ((state.v / bias2).sqrt() + hyper.epsilon));
    }
}
