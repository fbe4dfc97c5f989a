#[gpu_optimizer]
pub mod rule {
    pub struct RuleParams {
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
    }
    pub struct State {
        grad: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &RuleParams) {
        state.grad = 0.9 * state.grad + grad;
        let grad = state.grad;
        let param = *param - hyper.learning_rate * grad;
        *param -= grad; // a variable hides the parameter
        let a = *param; // the same when it is read
    }
}
