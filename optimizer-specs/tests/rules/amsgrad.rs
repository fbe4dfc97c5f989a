// Adam + AMSGrad as an option (torch).
#[gpu_optimizer]
pub mod amsgrad {
    pub struct AmsGradParams {
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        #[hyper(default = 0.999, range = 0.0..1.0)]
        pub beta2: f32,
        #[hyper(default = 1e-8, range = 0.0..)]
        pub epsilon: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
        #[hyper(default = true)]
        pub amsgrad: bool,
    }
    pub struct State {
        m: f32,
        v: f32,
        v_max: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &AmsGradParams, step: u32) {
        let g = grad + hyper.weight_decay * *param;
        state.m = hyper.beta1 * state.m + (1.0 - hyper.beta1) * g;
        state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * g * g;
        let second = if hyper.amsgrad {
            state.v_max = state.v_max.max(state.v);
            state.v_max
        } else {
            state.v
        };
        let bias1 = 1.0 - hyper.beta1.powi(step);
        let bias2 = 1.0 - hyper.beta2.powi(step);
        *param -= hyper.learning_rate / bias1 * state.m / (second.sqrt() / bias2.sqrt() + hyper.epsilon);
    }
}
