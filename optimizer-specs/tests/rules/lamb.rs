// LAMB, optax/paper form.
#[gpu_optimizer]
pub mod lamb {
    pub struct LambParams {
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        #[hyper(default = 0.999, range = 0.0..1.0)]
        pub beta2: f32,
        #[hyper(default = 1e-6, range = 0.0..)]
        pub epsilon: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }
    pub struct State {
        m: f32,
        v: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &LambParams, step: u32) {
        let bias1 = 1.0 - hyper.beta1.powi(step);
        let bias2 = 1.0 - hyper.beta2.powi(step);
        state.m = hyper.beta1 * state.m + (1.0 - hyper.beta1) * grad;
        state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * grad * grad; // ((1-b2)*g)*g, not (1-b2)*(g*g): other bits
        let u = state.m / bias1 / ((state.v / bias2).sqrt() + hyper.epsilon) + hyper.weight_decay * *param;
        let p_norm = norm(*param);
        let u_norm = norm(u);
        let trust = if p_norm > 0.0 && u_norm > 0.0 { p_norm / u_norm } else { 1.0 };
        *param -= hyper.learning_rate * trust * u;
    }
}
