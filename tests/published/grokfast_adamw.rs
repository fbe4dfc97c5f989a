// GrokFast with AdamW: slow components of the gradient amplified, at a rate that is made smaller for it, as
// pytorch_optimizer does. Lee et al., "Grokfast: Accelerated Grokking by Amplifying Slow Gradients", arXiv:2405.20233.
#[gpu_optimizer]
pub mod grokfast_adamw {
    pub struct GrokFastAdamWParams {
        #[hyper(default = 1e-4, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        #[hyper(default = 0.99, range = 0.0..1.0)]
        pub beta2: f32,
        #[hyper(default = 1e-8, range = 1e-30..)]
        pub epsilon: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
        #[hyper(default = 0.98, range = 0.0..1.0)]
        pub alpha: f32,
        #[hyper(default = 2.0, range = 0.0..)]
        pub lambda: f32,
        #[hyper(default = 0)]
        pub after_step: u32,
    }
    pub struct State {
        m: f32,
        v: f32,
        slow: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &GrokFastAdamWParams, step: u32) {
        let bias1 = 1.0 - hyper.beta1.powi(step);
        let bias2 = 1.0 - hyper.beta2.powi(step);
        let rate = hyper.learning_rate / (1.0 + hyper.lambda);
        *param *= 1.0 - rate * hyper.weight_decay;
        let mut g = grad;
        if step == 1 {
            state.slow = grad;
        }
        if step > hyper.after_step {
            state.slow = lerp(state.slow, grad, 1.0 - hyper.alpha);
            g = grad + hyper.lambda * state.slow;
        }
        state.m = lerp(state.m, g, 1.0 - hyper.beta1);
        state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * g * g;
        *param -= rate / bias1 * (state.m / (state.v / bias2).sqrt().max(hyper.epsilon));
    }
}
