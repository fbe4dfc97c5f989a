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
    const LIMIT: f32 = 1.0;
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &RuleParams, step: u32) {
        let a = 1.0;
        a = 2.0;
        a += 1.0;
        let mut b = 1.0;
        b = 1;
        b += step;
        grad = 1.0;
        step += 1;
        param = 1.0;
        param -= grad;
        *param = 1;
        *state.m = 1.0;
        *grad = 1.0;
        hyper.learning_rate = 1.0;
        hyper.learning_rate *= 0.5;
        state.n = 1.0;
        state = 1.0;
        state.m += step;
        LIMIT = 2.0;
        grad + 1.0 = 2.0;
        norm(grad) = 1.0;
        (a, b) = (1.0, 2.0);
        unknown = 1.0;
        unknown.x = 1.0;
        let c = (b = 2.0);
        *param -= b;
    }
}
