// LAMB as in apex FusedLAMB: global clip before the moments, grad_averaging, use_nvlamb.
#[gpu_optimizer]
pub mod lamb_apex {
    pub struct LambApexParams {
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        #[hyper(default = 0.999, range = 0.0..1.0)]
        pub beta2: f32,
        #[hyper(default = 1e-6, range = 0.0..)]
        pub epsilon: f32,
        #[hyper(default = 0.01, range = 0.0..)]
        pub weight_decay: f32,
        /// 0 turns the clip off.
        #[hyper(default = 1.0, range = 0.0.., shared)]
        pub max_grad_norm: f32,
        #[hyper(default = true)]
        pub grad_averaging: bool,
        #[hyper(default = false)]
        pub use_nvlamb: bool,
    }
    pub struct State {
        m: f32,
        v: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &LambApexParams, step: u32) {
        let total = all::norm(grad);
        let clip = if hyper.max_grad_norm > 0.0 && total > hyper.max_grad_norm { total / hyper.max_grad_norm } else { 1.0 };
        let g = grad / clip;
        let beta3 = if hyper.grad_averaging { 1.0 - hyper.beta1 } else { 1.0 };
        state.m = hyper.beta1 * state.m + beta3 * g;
        state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * g * g;
        let bias1 = 1.0 - hyper.beta1.powi(step);
        let bias2 = 1.0 - hyper.beta2.powi(step);
        let u = state.m / bias1 / ((state.v / bias2).sqrt() + hyper.epsilon) + hyper.weight_decay * *param;
        let trust = if hyper.use_nvlamb || hyper.weight_decay != 0.0 {
            // reductions inside a row-uniform `if`: always computed, the `if` only selects
            let (p_norm, u_norm) = (norm(*param), norm(u));
            if p_norm > 0.0 && u_norm > 0.0 { p_norm / u_norm } else { 1.0 }
        } else {
            1.0
        };
        *param -= hyper.learning_rate * trust * u;
    }
}
