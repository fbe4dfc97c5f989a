// Aida: AdaBelief with gradient and momentum projected on each other twice before their difference is squared. Zhang et
// al., "On Suppressing Range of Adaptive Stepsizes of Adam to Improve Generalisation Performance", arXiv:2302.01029,
// with its K = 2.
#[gpu_optimizer]
pub mod aida {
    pub struct AidaParams {
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        #[hyper(default = 0.999, range = 0.0..1.0)]
        pub beta2: f32,
        #[hyper(default = 1e-20, range = 1e-30..)]
        pub xi: f32,
        #[hyper(default = 1e-8, range = 1e-30..)]
        pub epsilon: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }
    pub struct State {
        m: f32,
        v: f32,
    }
    fn projected(g: f32, m: f32, xi: f32) -> (f32, f32) {
        let product = sum(g * m);
        (g * (product / (sum(g * g) + xi)), m * (product / (sum(m * m) + xi)))
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &AidaParams, step: u32) {
        let bias1 = 1.0 - hyper.beta1.powi(step);
        let bias2 = 1.0 - hyper.beta2.powi(step);
        let g = grad + hyper.weight_decay * *param;
        state.m = lerp(state.m, g, 1.0 - hyper.beta1);
        let (once_g, once_m) = projected(g, state.m, hyper.xi);
        let (twice_g, twice_m) = projected(once_g, once_m, hyper.xi);
        let residual = twice_m - twice_g;
        state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * residual * residual + hyper.epsilon;
        let denominator = ((state.v + 1e-15).sqrt() + hyper.epsilon) / bias2.sqrt();
        *param -= hyper.learning_rate / bias1 * (state.m / denominator);
    }
}
