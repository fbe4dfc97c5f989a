// NovoGrad (optax form).
#[gpu_optimizer]
pub mod novograd {
    pub struct NovoGradParams {
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        #[hyper(default = 0.25, range = 0.0..1.0)]
        pub beta2: f32,
        #[hyper(default = 1e-6, range = 0.0..)]
        pub epsilon: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }
    pub struct State {
        m: f32,
        #[tensor]
        v: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &NovoGradParams, step: u32) {
        let g2 = sum(grad * grad);
        state.v = if step == 1 { g2 } else { hyper.beta2 * state.v + (1.0 - hyper.beta2) * g2 };
        state.m = hyper.beta1 * state.m + (grad / (state.v.sqrt() + hyper.epsilon) + hyper.weight_decay * *param);
        *param -= hyper.learning_rate * state.m;
    }
}
