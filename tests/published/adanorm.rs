// AdaNorm: AdamW with gradients brought up to the decaying mean of their norms. Dubey et al., "AdaNorm: Adaptive
// Gradient Norm Correction based Optimizer for CNNs", WACV 2023.
#[gpu_optimizer]
pub mod adanorm {
    pub struct AdaNormParams {
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        #[hyper(default = 0.99, range = 0.0..1.0)]
        pub beta2: f32,
        #[hyper(default = 0.95, range = 0.0..1.0)]
        pub r: f32,
        #[hyper(default = 1e-8, range = 1e-30..)]
        pub epsilon: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }
    pub struct State {
        m: f32,
        v: f32,
        #[tensor]
        mean_norm: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &AdaNormParams, step: u32) {
        let bias1 = 1.0 - hyper.beta1.powi(step);
        let bias2 = 1.0 - hyper.beta2.powi(step);
        *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
        let size = norm(grad);
        state.mean_norm = hyper.r * state.mean_norm + (1.0 - hyper.r) * size;
        let g = if size > 0.0 && state.mean_norm > size { grad * state.mean_norm / size } else { grad };
        state.m = lerp(state.m, g, 1.0 - hyper.beta1);
        state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * grad * grad;
        let denominator = ((state.v + 1e-15).sqrt() + hyper.epsilon) / bias2.sqrt();
        *param -= hyper.learning_rate / bias1 * (state.m / denominator);
    }
}
