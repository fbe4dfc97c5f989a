#[gpu_optimizer]
pub mod rule {
    pub struct RuleParams {
        /// Step size.
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
    }
    pub struct State {
        m: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &RuleParams, step: u32) {
        let a = if grad > 0.0 {
            let inside = grad;
            inside
        } else {
            inside
        };
        let b = c;
        let c = a;
        let (d, e) = (c, d);
        let (x, mut x) = (a, b);
        *param -= b + e + param + hyper + state.m.x + hyper.learning_rate.x + grad.x;
        state.m = *grad + *hyper.learning_rate + *state;
    }
}
