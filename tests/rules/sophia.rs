/// Sophia-G with the Hessian estimate given by the caller: an extra input and a refresh entry.
#[gpu_optimizer]
pub mod sophia {
    pub struct SophiaParams {
        #[hyper(default = 1e-4, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.965, range = 0.0..1.0)]
        pub beta1: f32,
        #[hyper(default = 0.99, range = 0.0..1.0)]
        pub beta2: f32,
        #[hyper(default = 0.04, range = 0.0..)]
        pub rho: f32,
        #[hyper(default = 1e-15, range = 0.0..)]
        pub epsilon: f32,
        #[hyper(default = 0.1, range = 0.0..)]
        pub weight_decay: f32,
    }
    pub struct State {
        m: f32,
        h: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &SophiaParams, #[scalar] batch_size: f32) {
        *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
        state.m = hyper.beta1 * state.m + (1.0 - hyper.beta1) * grad;
        let ratio = (state.m.abs() / (hyper.rho * batch_size * state.h + hyper.epsilon)).min(1.0);
        *param -= hyper.learning_rate * (sign(state.m) * ratio);
    }
    /// Takes in a new estimate of the Hessian's diagonal.
    #[entry]
    fn refresh(state: &mut State, hyper: &SophiaParams, #[input] hessian: f32) {
        state.h = hyper.beta2 * state.h + (1.0 - hyper.beta2) * hessian;
    }
}
