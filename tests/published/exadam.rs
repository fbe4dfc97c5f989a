// EXAdam: Adam with moments that correct each other. Adly, "EXAdam: The Power of Adaptive Cross-Moments",
// arXiv:2412.20302.
#[gpu_optimizer]
pub mod exadam {
    pub struct ExAdamParams {
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        #[hyper(default = 0.999, range = 0.0..1.0)]
        pub beta2: f32,
        #[hyper(default = 1e-8, range = 1e-30..)]
        pub epsilon: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }
    pub struct State {
        m: f32,
        v: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &ExAdamParams, step: u32) {
        let (power1, power2) = (hyper.beta1.powi(step), hyper.beta2.powi(step));
        *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
        state.m = lerp(state.m, grad, 1.0 - hyper.beta1);
        state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * grad * grad;
        let d1 = 1.0 + power2 * (state.v / (state.v + hyper.epsilon));
        let square = state.m * state.m;
        let d2 = 1.0 + power1 * (square / (square + hyper.epsilon));
        let direction = 1.0 / (1.0 - power1) * (state.m * d1 + d1 * grad);
        let denominator = (d2 * (state.v / (1.0 - power2))).sqrt() + hyper.epsilon;
        *param -= hyper.learning_rate * (direction / denominator);
    }
}
