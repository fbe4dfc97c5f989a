// FAdam: Adam as natural gradient descent, gradient and weight decay both divided by the Fisher information and clipped
// by their root mean square. Hwang, "FAdam: Adam is a natural gradient optimizer using diagonal empirical Fisher
// information", arXiv:2405.12807.
#[gpu_optimizer]
pub mod fadam {
    pub struct FAdamParams {
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        #[hyper(default = 0.999, range = 0.0..1.0)]
        pub beta2: f32,
        #[hyper(default = 0.5, range = 0.0..=1.0)]
        pub p: f32,
        #[hyper(default = 1.0, range = 1e-30..)]
        pub clip: f32,
        #[hyper(default = 1e-8, range = 1e-30..)]
        pub epsilon: f32,
        #[hyper(default = 0.01, range = 0.0..)]
        pub epsilon2: f32,
        #[hyper(default = 0.1, range = 0.0..)]
        pub weight_decay: f32,
    }
    pub struct State {
        m: f32,
        fisher: f32,
    }
    fn clipped(x: f32, clip: f32) -> f32 {
        x / (mean(x * x).sqrt() / clip).max(1.0)
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &FAdamParams, step: u32) {
        let power2 = hyper.beta2.powi(step);
        let beta2 = (power2 - hyper.beta2) / (power2 - 1.0);
        state.fisher = beta2 * state.fisher + (1.0 - beta2) * grad * grad;
        let rms = mean(grad * grad).sqrt();
        let scaled = hyper.epsilon2 * rms;
        let is_small = rms > 0.0 && scaled < hyper.epsilon;
        let least = if is_small { scaled.powf(2.0 * hyper.p) } else { hyper.epsilon.powf(2.0 * hyper.p) };
        let base = state.fisher.powf(hyper.p) + least;
        state.m = lerp(state.m, clipped(grad / base, hyper.clip), 1.0 - hyper.beta1);
        let decay = clipped(*param / base, hyper.clip);
        *param -= hyper.learning_rate * (decay * hyper.weight_decay + state.m);
    }
}
