// D-Adapted SGD: gradient descent with momentum that estimates its own step size over all tensors. Defazio &
// Mishchenko, "Learning-Rate-Free Learning by D-Adaptation", ICML 2023.
#[gpu_optimizer]
pub mod dadapt_sgd {
    pub struct DAdaptSgdParams {
        #[hyper(default = 1.0, range = 0.0.., shared)]
        pub learning_rate: f32,
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub momentum: f32,
        #[hyper(default = 1e-6, range = 1e-30.., shared)]
        pub d0: f32,
        #[hyper(default = None, range = 1.0.., shared)]
        pub growth_rate: Option<f32>,
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }
    pub struct State {
        s: f32,
        #[init(param)]
        start: f32,
        #[all]
        #[init(d0)]
        d: f32,
        #[all]
        first_norm: f32,
        #[all]
        numerator: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &DAdaptSgdParams) {
        let total = all::norm(grad);
        if state.first_norm == 0.0 {
            state.first_norm = total;
        }
        // As long as every gradient has been 0, nothing is taken for a step.
        if state.first_norm != 0.0 {
            let d = state.d;
            let rate = d * hyper.learning_rate / state.first_norm;
            let g = grad + hyper.weight_decay * *param;
            state.numerator += rate * all::sum(g * state.s);
            state.s += rate * g;
            let estimate = 2.0 * state.numerator / all::sum(state.s * state.s).sqrt();
            let bounded = if let Some(growth) = hyper.growth_rate { estimate.min(d * growth) } else { estimate };
            if hyper.learning_rate > 0.0 {
                state.d = d.max(bounded);
            }
            *param = lerp(*param, state.start - state.s, 1.0 - hyper.momentum);
        }
    }
}
