// D-Adapted Adan: Adan that estimates its own step size over all tensors. Defazio & Mishchenko, "Learning-Rate-Free
// Learning by D-Adaptation", ICML 2023. As in pytorch_optimizer and the authors' code, the second moment is of fourth
// powers.
#[gpu_optimizer]
pub mod dadapt_adan {
    pub struct DAdaptAdanParams {
        #[hyper(default = 1.0, range = 0.0.., shared)]
        pub learning_rate: f32,
        #[hyper(default = 0.98, range = 0.0..1.0)]
        pub beta1: f32,
        #[hyper(default = 0.92, range = 0.0..1.0)]
        pub beta2: f32,
        #[hyper(default = 0.99, range = 0.0..1.0, shared)]
        pub beta3: f32,
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
        n: f32,
        v: f32,
        s: f32,
        previous: f32,
        #[all]
        #[init(d0)]
        d: f32,
        #[all]
        grad_square: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &DAdaptAdanParams, step: u32) {
        let d = state.d;
        let rate = d * hyper.learning_rate;
        let difference = if step == 1 { 0.0 } else { grad - state.previous };
        state.previous = grad;
        state.m = hyper.beta1 * state.m + rate * (1.0 - hyper.beta1) * grad;
        state.n = hyper.beta2 * state.n + rate * (1.0 - hyper.beta2) * difference;
        let ahead = hyper.beta2 * difference + grad;
        let square = ahead * ahead;
        state.v = hyper.beta3 * state.v + (1.0 - hyper.beta3) * square * square;
        let denominator = state.v.sqrt() + hyper.epsilon;
        state.s = hyper.beta3 * state.s + rate * (1.0 - hyper.beta3) * grad;
        let grad_square = all::sum(grad * grad / denominator);
        let s_square = all::sum(state.s * state.s / denominator);
        let size = all::sum(state.s.abs());
        if size != 0.0 {
            state.grad_square = hyper.beta3 * state.grad_square + rate * rate * (1.0 - hyper.beta3) * grad_square;
            let estimate = (s_square / (1.0 - hyper.beta3) - state.grad_square) / size;
            let bounded = if let Some(growth) = hyper.growth_rate { estimate.min(d * growth) } else { estimate };
            if hyper.learning_rate > 0.0 {
                state.d = d.max(bounded);
            }
            *param = *param - state.m / denominator - hyper.beta2 * (state.n / denominator);
            *param /= 1.0 + rate * hyper.weight_decay;
        }
    }
}
