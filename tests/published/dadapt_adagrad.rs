// D-Adapted Adagrad, dual averaging that estimates its own step size over all tensors. Defazio & Mishchenko, "Learning-
// Rate-Free Learning by D-Adaptation", ICML 2023.
#[gpu_optimizer]
pub mod dadapt_adagrad {
    pub struct DAdaptAdaGradParams {
        #[hyper(default = 1.0, range = 0.0.., shared)]
        pub learning_rate: f32,
        #[hyper(default = 0.0, range = 0.0..1.0, switch)]
        pub momentum: f32,
        #[hyper(default = 1e-6, range = 1e-30.., shared)]
        pub d0: f32,
        #[hyper(default = None, range = 1.0.., shared)]
        pub growth_rate: Option<f32>,
        #[hyper(default = 0.0, range = 0.0..)]
        pub epsilon: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }
    pub struct State {
        s: f32,
        #[init(1e-6)]
        alpha: f32,
        #[init(param)]
        start: f32,
        #[all]
        #[init(d0)]
        d: f32,
        #[all]
        grad_square: f32,
        #[all]
        s_square: f32,
        #[all]
        s_size: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &DAdaptAdaGradParams) {
        let d = state.d;
        let rate = d * hyper.learning_rate;
        let g = grad + hyper.weight_decay * *param;
        let square_before = state.s * state.s / (state.alpha.sqrt() + hyper.epsilon);
        let size_before = state.s.abs();
        state.alpha += g * g;
        let denominator = state.alpha.sqrt() + hyper.epsilon;
        state.s += rate * g;
        state.s_square += all::sum(state.s * state.s / denominator - square_before);
        state.grad_square += rate * rate * all::sum(g * g / denominator);
        state.s_size += all::sum(state.s.abs() - size_before);
        if state.s_size != 0.0 {
            let estimate = (state.s_square - state.grad_square) / state.s_size;
            let bounded = if let Some(growth) = hyper.growth_rate { estimate.min(d * growth) } else { estimate };
            if hyper.learning_rate > 0.0 {
                state.d = d.max(bounded);
            }
            let z = state.start - state.s / denominator;
            *param = if hyper.momentum != 0.0 { lerp(*param, z, 1.0 - hyper.momentum) } else { z };
        }
    }
}
