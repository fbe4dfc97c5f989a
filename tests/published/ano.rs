// Ano: the sign of the momentum, the size of the gradient. Kegreisz, "Ano: Faster is Better in Noisy Landscape",
// arXiv:2508.18258, with its constant β₁.
#[gpu_optimizer]
pub mod ano {
    pub struct AnoParams {
        #[hyper(default = 1e-4, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.92, range = 0.0..1.0)]
        pub beta1: f32,
        #[hyper(default = 0.99, range = 0.0..1.0)]
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
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &AnoParams, step: u32) {
        let bias2 = 1.0 - hyper.beta2.powi(step);
        *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
        state.m = lerp(state.m, grad, 1.0 - hyper.beta1);
        let square = grad * grad;
        state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * (sign(square - state.v) * square);
        let denominator = (state.v / bias2).sqrt() + hyper.epsilon;
        *param -= hyper.learning_rate * (grad.abs() * sign(state.m) / denominator);
    }
}
