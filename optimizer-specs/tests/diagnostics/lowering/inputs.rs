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
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &RuleParams, #[input] a: f32, #[input] b: f32, #[input] c: f32, #[input] d: f32) {
        *param -= hyper.learning_rate * (norm(grad) + a + b + c + d) * grad;
        state.m = grad + state.m;
        *param -= state.m;
    }
}
