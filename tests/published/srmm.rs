// SRMM: means of gradients and of iterates with a vanishing weight. Lyu & Li, "Stochastic Regularized
// Majorization-Minimization with Weakly Convex and Multi-convex Surrogates", JMLR 25 (2024).
#[gpu_optimizer]
pub mod srmm {
    pub struct SrmmParams {
        #[hyper(default = 0.01, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.5, range = 0.0..=1.0)]
        pub beta: f32,
        #[hyper(default = 100, range = 1..)]
        pub memory_length: u32,
    }
    pub struct State {
        gradient: f32,
        iterate: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &SrmmParams, step: u32) {
        let weight = ((step % hyper.memory_length + 1) as f32).powf(-hyper.beta);
        state.gradient = lerp(state.gradient, grad, weight);
        state.iterate = lerp(state.iterate, *param, weight) - hyper.learning_rate * state.gradient;
        *param = state.iterate;
    }
}
