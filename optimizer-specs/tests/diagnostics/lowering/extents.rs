#[gpu_optimizer]
pub mod rule {
    pub struct RuleParams {
        /// Step size.
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
    }
    pub struct State {
        #[tensor]
        t: f32,
        #[host]
        h: f64,
        #[all]
        a: f32,
        #[all]
        b: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &RuleParams, step: u32) {
        state.t = 0.9 * state.t + grad;
        state.h += norm(grad) ;
        state.a += hyper.learning_rate;
        state.b += step as f32;
        if grad > 0.0 {
            state.t = 1.0;
        }
        *param -= hyper.learning_rate * grad * state.t * state.h * state.a * state.b;
    }
}
