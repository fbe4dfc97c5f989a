// Simplified AdEMAMix: one slow moment, and the gradient itself added to it. Morwani et al., "Connections between
// Schedule-Free Optimizers, AdEMAMix, and Accelerated SGD Variants", arXiv:2502.02431, as pytorch_optimizer has it.
#[gpu_optimizer]
pub mod simplified_ademamix {
    pub struct SimplifiedAdEmaMixParams {
        #[hyper(default = 1e-4, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.99, range = 0.0..1.0)]
        pub beta1: f32,
        #[hyper(default = 0.95, range = 0.0..1.0)]
        pub beta2: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub alpha: f32,
        #[hyper(default = 1e-8, range = 1e-30..)]
        pub epsilon: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }
    pub struct State {
        m: f32,
        v: f32,
        #[host]
        weight: f64,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &SimplifiedAdEmaMixParams) {
        *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
        state.m = lerp(state.m, grad, 1.0 - hyper.beta1);
        state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * grad * grad;
        state.weight = hyper.beta2 * state.weight + (1.0 - hyper.beta2);
        let root = state.weight.sqrt();
        let direction = (state.m + hyper.alpha * grad) / (state.v.sqrt() + root * hyper.epsilon) / root;
        *param -= hyper.learning_rate * direction;
    }
}
