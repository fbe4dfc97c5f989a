// AdamC: AdamW whose weight decay falls with the square of the rate in layers that a normalization follows. Defazio,
// "Why Gradients Rapidly Increase Near the End of Training", arXiv:2506.02285.
#[gpu_optimizer]
pub mod adamc {
    pub struct AdamCParams {
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 1e-3, range = 1e-30..)]
        pub max_learning_rate: f32,
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        #[hyper(default = 0.999, range = 0.0..1.0)]
        pub beta2: f32,
        #[hyper(default = 1e-8, range = 1e-30..)]
        pub epsilon: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
        #[hyper(default = false)]
        pub normalized: bool,
    }
    pub struct State {
        m: f32,
        v: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &AdamCParams, step: u32) {
        let bias1 = 1.0 - hyper.beta1.powi(step);
        let bias2 = 1.0 - hyper.beta2.powi(step);
        let rate = hyper.learning_rate;
        let decay_rate = if hyper.normalized { rate * rate / hyper.max_learning_rate } else { rate };
        *param *= 1.0 - hyper.weight_decay * decay_rate;
        state.m = lerp(state.m, grad, 1.0 - hyper.beta1);
        state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * grad * grad;
        let denominator = ((state.v + 1e-15).sqrt() + hyper.epsilon) / bias2.sqrt();
        *param -= rate * (state.m / bias1 / denominator);
    }
}
