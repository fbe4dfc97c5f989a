// PNM: two momenta in turn, the older one with a negative weight. Xie et al., "Positive-Negative Momentum", ICML 2021.
#[gpu_optimizer]
pub mod pnm {
    pub struct PnmParams {
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        #[hyper(default = 1.0, range = 0.0..=1.0)]
        pub beta2: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }
    pub struct State {
        odd: f32,
        even: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &PnmParams, step: u32) {
        *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
        let noise_norm = ((1.0 + hyper.beta2) * (1.0 + hyper.beta2) + hyper.beta2 * hyper.beta2).sqrt();
        let is_odd = step % 2 == 1;
        let (positive, negative) = if is_odd { (state.odd, state.even) } else { (state.even, state.odd) };
        let new = lerp(positive, grad, 1.0 - hyper.beta1 * hyper.beta1);
        if is_odd {
            state.odd = new;
        } else {
            state.even = new;
        }
        *param -= hyper.learning_rate / noise_norm * ((1.0 + hyper.beta2) * new - hyper.beta2 * negative);
    }
}
