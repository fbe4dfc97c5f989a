// SAM: ascend, let the user compute the gradient there, then descend.
#[gpu_optimizer]
pub mod sam_sgd {
    pub struct SamSgdParams {
        #[hyper(default = 1e-2, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.05, range = 0.0.., shared)]
        pub rho: f32,
    }
    pub struct State {
        #[init(param)]
        home: f32,
    }
    #[entry]
    fn ascend(param: &mut f32, grad: f32, state: &mut State, hyper: &SamSgdParams) {
        state.home = *param;
        *param += hyper.rho / (all::norm(grad) + 1e-12) * grad;
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &SamSgdParams, step: u32) {
        *param = state.home - hyper.learning_rate * grad;
        state.home = *param;
    }
}
