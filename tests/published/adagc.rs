// AdaGC: AdamW behind a clip of each tensor's gradient by a decaying mean of its clipped norms. Wang et al., "AdaGC:
// Improving Training Stability for Large Language Model Pretraining", arXiv:2502.11034.
#[gpu_optimizer]
pub mod adagc {
    pub struct AdaGcParams {
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        #[hyper(default = 0.999, range = 0.0..1.0)]
        pub beta2: f32,
        #[hyper(default = 0.98, range = 0.0..1.0)]
        pub beta: f32,
        #[hyper(default = 1.0, range = 0.0..)]
        pub lambda_abs: f32,
        #[hyper(default = 1.05, range = 0.0..)]
        pub lambda_rel: f32,
        #[hyper(default = 100)]
        pub warmup_steps: u32,
        #[hyper(default = 1e-8, range = 1e-30..)]
        pub epsilon: f32,
        #[hyper(default = 0.1, range = 0.0..)]
        pub weight_decay: f32,
    }
    pub struct State {
        m: f32,
        v: f32,
        #[tensor]
        gamma: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &AdaGcParams, step: u32) {
        let bias1 = 1.0 - hyper.beta1.powi(step);
        let bias2 = 1.0 - hyper.beta2.powi(step);
        *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
        let total = all::norm(grad) + hyper.epsilon;
        let scale = if step == 1 || step < hyper.warmup_steps {
            (hyper.lambda_abs / total).min(1.0)
        } else {
            (hyper.lambda_rel * state.gamma.max(hyper.epsilon) / norm(grad).max(hyper.epsilon)).min(1.0)
        };
        let g = grad * scale;
        let size = norm(g);
        state.gamma = if step == 1 {
            size
        } else if step < hyper.warmup_steps {
            state.gamma.min(size)
        } else {
            lerp(state.gamma, size, 1.0 - hyper.beta)
        };
        state.m = lerp(state.m, g, 1.0 - hyper.beta1);
        state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * g * g;
        let denominator = state.v.sqrt() / bias2.sqrt() + hyper.epsilon;
        *param -= hyper.learning_rate / bias1 * (state.m / denominator);
    }
}
