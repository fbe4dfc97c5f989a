// SaRA: AdamW of those elements alone that are small when it starts. Hu et al., "SaRA: High-Efficient Diffusion Model
// Fine-tuning with Progressive Sparse Low-Rank Adaptation", ICLR 2025, without its penalty of the rank, which
// pytorch_optimizer leaves out unless asked for.
#[gpu_optimizer]
pub mod sara {
    pub struct SaRaParams {
        #[hyper(default = None, range = 0.0..)]
        pub learning_rate: Option<f32>,
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        #[hyper(default = 0.999, range = 0.0..1.0)]
        pub beta2: f32,
        #[hyper(default = 1e-3, range = 0.0..)]
        pub threshold: f32,
        #[hyper(default = 1e-8, range = 1e-30..)]
        pub epsilon: f32,
        #[hyper(default = 0.01, range = 0.0..)]
        pub weight_decay: f32,
    }
    pub struct State {
        m: f32,
        v: f32,
        #[init(param)]
        start: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &SaRaParams, step: u32) {
        let bias1 = 1.0 - hyper.beta1.powi(step);
        let bias2 = 1.0 - hyper.beta2.powi(step);
        let rate = hyper.learning_rate.unwrap_or(1e-3 * (-350.0 * hyper.threshold).exp());
        state.m = lerp(state.m, grad, 1.0 - hyper.beta1);
        state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * grad * grad;
        let denominator = state.v.sqrt() / bias2.sqrt() + hyper.epsilon;
        if state.start.abs() < hyper.threshold {
            *param *= 1.0 - rate * hyper.weight_decay;
            *param -= rate / bias1 * (state.m / denominator);
        }
    }
}
