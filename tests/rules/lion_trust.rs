/// Lion with a trust ratio: the direction reads the old moment, its norm is needed before the step.
#[gpu_optimizer]
pub mod lion_trust {
    pub struct LionTrustParams {
        #[hyper(default = 1e-4, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        #[hyper(default = 0.99, range = 0.0..1.0)]
        pub beta2: f32,
        #[hyper(default = 0.1, range = 0.0..)]
        pub weight_decay: f32,
    }
    pub struct State {
        m: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &LionTrustParams) {
        let direction = lerp(grad, state.m, hyper.beta1);
        let u = sign(direction) + hyper.weight_decay * *param;
        let param_norm = norm(*param);
        let update_norm = norm(u);
        let trust_ratio = if param_norm == 0.0 || update_norm == 0.0 { 1.0 } else { param_norm / update_norm };
        state.m = lerp(grad, state.m, hyper.beta2);
        *param -= hyper.learning_rate * trust_ratio * u;
    }
}
