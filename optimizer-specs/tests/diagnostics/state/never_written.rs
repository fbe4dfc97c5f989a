#[gpu_optimizer]
pub mod rule {
    pub struct RuleParams {
        /// Step size.
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
    }
    pub struct State {
        m: f32,
        #[init(1.0)]
        fine: f32,
        in_helper: f32,
    }
    fn decay(state: &State) -> f32 {
        state.in_helper
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &RuleParams) {
        *param -= hyper.learning_rate * state.m * grad + state.fine + decay(state);
    }
}
