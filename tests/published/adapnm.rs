// AdaPNM: AMSGrad's denominator under two momenta in turn, the older one with a negative weight. Xie et al., "Positive-
// Negative Momentum", ICML 2021.
#[gpu_optimizer]
pub mod adapnm {
    pub struct AdaPnmParams {
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        #[hyper(default = 0.999, range = 0.0..1.0)]
        pub beta2: f32,
        #[hyper(default = 1.0, range = 0.0..=1.0)]
        pub beta3: f32,
        #[hyper(default = 1e-8, range = 1e-30..)]
        pub epsilon: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }
    pub struct State {
        odd: f32,
        even: f32,
        v: f32,
        v_max: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &AdaPnmParams, step: u32) {
        let bias1 = 1.0 - hyper.beta1.powi(step);
        let bias2 = 1.0 - hyper.beta2.powi(step);
        *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
        let noise_norm = ((1.0 + hyper.beta3) * (1.0 + hyper.beta3) + hyper.beta3 * hyper.beta3).sqrt();
        let is_odd = step % 2 == 1;
        let (positive, negative) = if is_odd { (state.odd, state.even) } else { (state.even, state.odd) };
        let new = lerp(positive, grad, 1.0 - hyper.beta1 * hyper.beta1);
        if is_odd {
            state.odd = new;
        } else {
            state.even = new;
        }
        state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * grad * grad;
        state.v_max = state.v_max.max(state.v);
        let denominator = ((state.v_max + 1e-15).sqrt() + hyper.epsilon) / bias2.sqrt();
        let direction = ((1.0 + hyper.beta3) * new - hyper.beta3 * negative) * (1.0 / noise_norm);
        *param -= hyper.learning_rate / bias1 * (direction / denominator);
    }
}
