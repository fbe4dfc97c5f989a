// RAdam, torch form.
#[gpu_optimizer]
pub mod radam {
    pub struct RAdamParams {
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
    }
    pub struct State {
        m: f32,
        v: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &RAdamParams, step: u32) {
        let beta2_t = hyper.beta2.powi(step);
        let bias1 = 1.0 - hyper.beta1.powi(step);
        let bias2 = 1.0 - beta2_t;
        let rho_inf = 2.0 / (1.0 - hyper.beta2) - 1.0;
        let rho = rho_inf - 2.0 * step as f32 * beta2_t / bias2;
        let g = grad + hyper.weight_decay * *param;
        state.m = hyper.beta1 * state.m + (1.0 - hyper.beta1) * g;
        state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * g * g;
        let m_hat = state.m / bias1;
        if rho > 5.0 {
            let rect = ((rho - 4.0) * (rho - 2.0) * rho_inf / ((rho_inf - 4.0) * (rho_inf - 2.0) * rho)).sqrt();
            *param -= hyper.learning_rate * rect * bias2.sqrt() * m_hat / (state.v.sqrt() + hyper.epsilon);
        } else {
            *param -= hyper.learning_rate * m_hat;
        }
    }
}
