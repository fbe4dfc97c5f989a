// AdaMod: Adam whose step size per element is bounded by a mean of its own. Ding et al., "An Adaptive and Momental Bound
// Method for Stochastic Learning", arXiv:1910.12249.
#[gpu_optimizer]
pub mod adamod {
    pub struct AdaModParams {
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        #[hyper(default = 0.99, range = 0.0..1.0)]
        pub beta2: f32,
        #[hyper(default = 0.9999, range = 0.0..1.0)]
        pub beta3: f32,
        #[hyper(default = 1e-8, range = 0.0..)]
        pub epsilon: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }
    pub struct State {
        m: f32,
        v: f32,
        rate: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &AdaModParams, step: u32) {
        let scale = (1.0 - hyper.beta2.powi(step)).sqrt() / (1.0 - hyper.beta1.powi(step));
        *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
        state.m = lerp(state.m, grad, 1.0 - hyper.beta1);
        state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * grad * grad;
        let denominator = state.v.sqrt() + hyper.epsilon;
        let rate = if denominator == 0.0 { 0.0 } else { hyper.learning_rate * scale / denominator };
        state.rate = lerp(state.rate, rate, 1.0 - hyper.beta3);
        *param -= rate.min(state.rate) * state.m;
    }
}
