// AdamS: Adam whose weight decay is divided by the root of the second moment's mean over all tensors. Xie et al., "On
// the Overlooked Pitfalls of Weight Decay and How to Mitigate Them", NeurIPS 2023.
#[gpu_optimizer]
pub mod adams {
    pub struct AdamSParams {
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        #[hyper(default = 0.999, range = 0.0..1.0)]
        pub beta2: f32,
        #[hyper(default = 1e-8, range = 1e-30..)]
        pub epsilon: f32,
        #[hyper(default = 1e-4, range = 0.0..)]
        pub weight_decay: f32,
    }
    pub struct State {
        m: f32,
        v: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &AdamSParams, step: u32) {
        let bias1 = 1.0 - hyper.beta1.powi(step);
        let bias2 = 1.0 - hyper.beta2.powi(step);
        state.m = lerp(state.m, grad, 1.0 - hyper.beta1);
        state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * grad * grad;
        let ratio = 1.0 / (all::mean(state.v / bias2).sqrt() + hyper.epsilon);
        *param *= 1.0 - hyper.weight_decay * hyper.learning_rate * ratio;
        *param -= hyper.learning_rate / bias1 * (state.m / ((state.v / bias2).sqrt() + hyper.epsilon));
    }
}
