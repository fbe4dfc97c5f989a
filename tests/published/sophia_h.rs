// Sophia-H: momentum over an estimate of the Hessian's diagonal, clipped per element. Liu et al., "Sophia: A Scalable
// Stochastic Second-order Optimizer for Language Model Pre-training", ICLR 2024, as pytorch_optimizer has it. Every ten
// steps or so, the caller writes Hutchinson's estimate as input `hessian` and runs the entry `refresh`, then steps.
#[gpu_optimizer]
pub mod sophia_h {
    pub struct SophiaHParams {
        #[hyper(default = 0.06, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.96, range = 0.0..1.0)]
        pub beta1: f32,
        #[hyper(default = 0.99, range = 0.0..1.0)]
        pub beta2: f32,
        #[hyper(default = 0.01, range = 0.0..)]
        pub p: f32,
        #[hyper(default = 1e-12, range = 1e-30..)]
        pub epsilon: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }
    pub struct State {
        m: f32,
        h: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &SophiaHParams) {
        *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
        state.m = lerp(state.m, grad, 1.0 - hyper.beta1);
        *param -= hyper.learning_rate * (state.m / state.h.max(hyper.epsilon)).clamp(-hyper.p, hyper.p);
    }
    #[entry]
    fn refresh(state: &mut State, hyper: &SophiaHParams, #[input] hessian: f32) {
        state.h = lerp(state.h, hessian, 1.0 - hyper.beta2);
    }
}
