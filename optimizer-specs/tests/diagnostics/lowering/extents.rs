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
        #[all]
        c: f32,
        #[all]
        d: f32,
        #[all]
        e: f32,
        #[host]
        i: f64,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &RuleParams, step: u32) {
        state.t = 0.9 * state.t + grad;
        state.h += norm(grad) ;
        state.a += hyper.learning_rate;
        state.b += step as f32;
        state.c = norm(grad);
        state.d = grad;
        state.e = state.h + len() as f32;
        state.i = all::norm(grad);
        if grad > 0.0 {
            state.t = 1.0;
        }
        *param -= hyper.learning_rate * grad * state.t * state.h * state.a * state.b * state.c * state.d * state.e * state.i;
    }
}
