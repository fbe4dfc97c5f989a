// BCOS: momentum over the root of a second moment that is worked out from the momentum itself, so that one state is
// all. Jiang & Xiao, "Stochastic Approximation with Block Coordinate Optimal Stepsizes", arXiv:2507.08963, its
// conditional estimator; as in pytorch_optimizer, from the momentum after the step.
#[gpu_optimizer]
pub mod bcos {
    pub struct BcosParams {
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta: f32,
        #[hyper(default = 1e-6, range = 1e-30..)]
        pub epsilon: f32,
        #[hyper(default = 0.1, range = 0.0..)]
        pub weight_decay: f32,
    }
    pub struct State {
        m: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &BcosParams, step: u32) {
        *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
        let beta = hyper.beta;
        state.m = if step == 1 { grad } else { lerp(state.m, grad, 1.0 - beta) };
        let v = (3.0 * beta * beta - 2.0 * beta * beta * beta) * (state.m * state.m)
            + (1.0 - beta) * (1.0 - beta) * (grad * grad)
            + 2.0 * beta * (1.0 - beta) * (1.0 - beta) * (state.m * grad);
        *param -= hyper.learning_rate * (state.m / (v.sqrt() + hyper.epsilon));
    }
}
