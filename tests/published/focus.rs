// FOCUS: signs of the momentum and of the way from a mean of the iterates. Liu et al., "FOCUS: First Order Concentrated
// Updating Scheme", arXiv:2501.12243.
#[gpu_optimizer]
pub mod focus {
    pub struct FocusParams {
        #[hyper(default = 1e-2, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        #[hyper(default = 0.999, range = 0.0..1.0)]
        pub beta2: f32,
        #[hyper(default = 0.1, range = 0.0..1.0)]
        pub gamma: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }
    pub struct State {
        m: f32,
        mean: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &FocusParams, step: u32) {
        state.m = lerp(state.m, grad, 1.0 - hyper.beta1);
        state.mean = lerp(state.mean, *param, 1.0 - hyper.beta2);
        let mean = state.mean / (1.0 - hyper.beta2.powi(step));
        *param -= hyper.learning_rate * hyper.weight_decay * mean;
        *param -= hyper.learning_rate * (sign(state.m) + hyper.gamma * sign(*param - mean));
    }
}
