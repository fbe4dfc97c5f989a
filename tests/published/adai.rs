// Adai: momentum whose inertia per element follows the second moment over that of all tensors. Xie et al., "Adaptive
// Inertia: Disentangling the Effects of Adaptive Learning Rate and Momentum", ICML 2022.
#[gpu_optimizer]
pub mod adai {
    pub struct AdaiParams {
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.1, range = 0.0..)]
        pub beta0: f32,
        #[hyper(default = 0.99, range = 0.0..1.0)]
        pub beta2: f32,
        #[hyper(default = 1.0, range = 0.0..=1.0)]
        pub dampening: f32,
        #[hyper(default = 1e-3, range = 1e-30..1.0)]
        pub epsilon: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }
    pub struct State {
        m: f32,
        v: f32,
        #[init(1.0)]
        product: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &AdaiParams, step: u32) {
        let bias2 = 1.0 - hyper.beta2.powi(step);
        let g = grad + hyper.weight_decay * *param;
        state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * g * g;
        let v_hat = state.v / bias2;
        let average = all::mean(v_hat).max(hyper.epsilon);
        let inertia = (v_hat / average).powf(1.0 / (3.0 - 2.0 * hyper.dampening)) * hyper.beta0;
        let beta1 = (1.0 - inertia).clamp(0.0, 1.0 - hyper.epsilon);
        state.product *= beta1;
        state.m = beta1 * state.m + (1.0 - beta1).powf(hyper.dampening) * g;
        let m_hat = state.m / (1.0 - state.product) * hyper.beta0.powf(1.0 - hyper.dampening);
        *param -= hyper.learning_rate * m_hat;
    }
}
