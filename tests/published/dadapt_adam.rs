// D-Adapted Adam: Adam that estimates its own step size over all tensors. Defazio & Mishchenko, "Learning-Rate-Free
// Learning by D-Adaptation", ICML 2023.
#[gpu_optimizer]
pub mod dadapt_adam {
    pub struct DAdaptAdamParams {
        #[hyper(default = 1.0, range = 0.0.., shared)]
        pub learning_rate: f32,
        #[hyper(default = 0.9, range = 0.0..1.0, shared)]
        pub beta1: f32,
        #[hyper(default = 0.999, range = 0.0..1.0, shared)]
        pub beta2: f32,
        #[hyper(default = 1e-6, range = 1e-30.., shared)]
        pub d0: f32,
        #[hyper(default = None, range = 1.0.., shared)]
        pub growth_rate: Option<f32>,
        #[hyper(default = 1e-8, range = 1e-30..)]
        pub epsilon: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }
    pub struct State {
        m: f32,
        v: f32,
        s: f32,
        #[all]
        #[init(d0)]
        d: f32,
        #[all]
        numerator: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &DAdaptAdamParams) {
        let d = state.d;
        let rate = d * hyper.learning_rate;
        let root2 = hyper.beta2.sqrt();
        let g = grad + hyper.weight_decay * *param;
        let product = rate * all::sum(g * (state.s / (state.v.sqrt() + hyper.epsilon)));
        state.m = hyper.beta1 * state.m + rate * (1.0 - hyper.beta1) * g;
        state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * g * g;
        state.s = root2 * state.s + rate * (1.0 - root2) * g;
        let size = all::sum(state.s.abs());
        if size != 0.0 {
            state.numerator = lerp(state.numerator, product, 1.0 - root2);
            let estimate = state.numerator / ((1.0 - root2) * size);
            let bounded = if let Some(growth) = hyper.growth_rate { estimate.min(d * growth) } else { estimate };
            if hyper.learning_rate > 0.0 {
                state.d = d.max(bounded);
            }
            *param -= state.m / (state.v.sqrt() + hyper.epsilon);
        }
    }
}
