// Cautious AdamW (C-AdamW): the mask is scaled by numel / (number kept + 1).
#[gpu_optimizer]
pub mod cautious_adamw {
    pub struct CautiousAdamWParams {
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        #[hyper(default = 0.999, range = 0.0..1.0)]
        pub beta2: f32,
        #[hyper(default = 1e-8, range = 0.0..)]
        pub epsilon: f32,
        #[hyper(default = 0.01, range = 0.0..)]
        pub weight_decay: f32,
    }
    pub struct State {
        m: f32,
        v: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &CautiousAdamWParams, step: u32) {
        state.m = hyper.beta1 * state.m + (1.0 - hyper.beta1) * grad;
        state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * grad * grad;
        let keep = (state.m > 0.0 && grad > 0.0) || (state.m < 0.0 && grad < 0.0);
        let scale = len() as f32 / (count(keep) as f32 + 1.0);
        let bias1 = 1.0 - hyper.beta1.powi(step);
        let bias2 = 1.0 - hyper.beta2.powi(step);
        let u = state.m / ((state.v / bias2).sqrt() + hyper.epsilon);
        *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
        *param -= hyper.learning_rate / bias1 * (if keep { scale * u } else { 0.0 });
    }
}
