// AdaBound: Adam whose step size per element is clipped between bounds that close in on SGD's. Luo et al., "Adaptive
// Gradient Methods with Dynamic Bound of Learning Rate", ICLR 2019.
#[gpu_optimizer]
pub mod adabound {
    pub struct AdaBoundParams {
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.1, range = 0.0..)]
        pub final_rate: f32,
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        #[hyper(default = 0.999, range = 0.0..1.0)]
        pub beta2: f32,
        #[hyper(default = 1e-3, range = 1e-9..)]
        pub gamma: f32,
        #[hyper(default = 1e-8, range = 0.0..)]
        pub epsilon: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }
    pub struct State {
        m: f32,
        v: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &AdaBoundParams, step: u32) {
        let rate = hyper.learning_rate * (1.0 - hyper.beta2.powi(step)).sqrt() / (1.0 - hyper.beta1.powi(step));
        let least = hyper.final_rate * (1.0 - 1.0 / (hyper.gamma * step as f32 + 1.0));
        let most = hyper.final_rate * (1.0 + 1.0 / (hyper.gamma * step as f32));
        *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
        state.m = lerp(state.m, grad, 1.0 - hyper.beta1);
        state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * grad * grad;
        let denominator = (state.v + 1e-15).sqrt() + hyper.epsilon;
        let size = if denominator == 0.0 { least } else { (rate / denominator).clamp(least, most) };
        *param -= size * state.m;
    }
}
