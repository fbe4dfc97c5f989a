// D-Adapted Lion: Lion that estimates its own step size over all tensors. Defazio & Mishchenko, "Learning-Rate-Free
// Learning by D-Adaptation", ICML 2023.
#[gpu_optimizer]
pub mod dadapt_lion {
    pub struct DAdaptLionParams {
        #[hyper(default = 1.0, range = 0.0.., shared)]
        pub learning_rate: f32,
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        #[hyper(default = 0.999, range = 0.0..1.0, shared)]
        pub beta2: f32,
        #[hyper(default = 1e-6, range = 1e-30.., shared)]
        pub d0: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }
    pub struct State {
        m: f32,
        s: f32,
        #[all]
        #[init(d0)]
        d: f32,
        #[all]
        numerator: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &DAdaptLionParams) {
        let d = state.d;
        let rate = d * hyper.learning_rate;
        let root2 = hyper.beta2.sqrt();
        let g = grad + hyper.weight_decay * *param;
        let direction = sign(lerp(state.m, g, 1.0 - hyper.beta1));
        *param -= rate * direction;
        state.m = hyper.beta2 * state.m + (1.0 - hyper.beta2) * rate * g;
        state.numerator = lerp(state.numerator, rate * all::sum(direction * state.s), 1.0 - root2);
        state.s = root2 * state.s + (1.0 - root2) * rate * direction;
        let size = all::sum(state.s.abs());
        if size != 0.0 && hyper.learning_rate > 0.0 {
            state.d = d.max(state.numerator / ((1.0 - root2) * size));
        }
    }
}
