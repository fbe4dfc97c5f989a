// AvaGrad: Adam with the second moment of the steps before, normalized by the mean of its rates over all tensors.
// Savarese et al., "Domain-independent Dominance of Adaptive Methods", CVPR 2021. The first step moves nothing.
#[gpu_optimizer]
pub mod avagrad {
    pub struct AvaGradParams {
        #[hyper(default = 0.1, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        #[hyper(default = 0.999, range = 0.0..1.0, shared)]
        pub beta2: f32,
        #[hyper(default = 0.1, range = 1e-30.., shared)]
        pub epsilon: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }
    pub struct State {
        m: f32,
        v: f32,
        #[all]
        gamma: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &AvaGradParams, run: u32) {
        let bias1 = 1.0 - hyper.beta1.powi(run);
        let bias2 = 1.0 - hyper.beta2.powi(run);
        let root = state.v.sqrt();
        *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
        state.m = lerp(state.m, grad, 1.0 - hyper.beta1);
        state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * grad * grad;
        if run > 1 {
            let denominator = root / (1.0 - hyper.beta2.powi(run - 1)).sqrt() + hyper.epsilon;
            *param -= state.gamma * hyper.learning_rate / bias1 * (state.m / denominator);
        }
        let size = root / bias2.sqrt() + hyper.epsilon;
        state.gamma = 1.0 / all::mean(1.0 / (size * size)).sqrt();
    }
}
