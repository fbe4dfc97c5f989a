#[gpu_optimizer]
#[require(learning_rate > 0.0)]
#[require("learning_rate > 0", learning_rate)]
#[require]
#[require(learning_rate, "is not zero")]
#[require(learning_rte > 0.0, "misspelt")]
#[require(hyper.learning_rate > 0.0, "needs no `hyper`")]
#[require(learning_rate < 1, "compared with a whole number")]
#[require(step > 1, "reads the step")]
#[require(norm(learning_rate) > 0.0, "reduces")]
#[require(all::len() > 0, "over all tensors")]
#[require(limit(learning_rate) > 0.0, "calls a helper")]
#[require(ndim() == 1.0, "compares a count with a real")]
#[require(ndim() == 2 && dim(ndim()) == 3, "asks for a computed dimension")]
#[require(len() > 0, "")]
#[require({ let x = learning_rate; x > 0.0 }, "has a statement")]
pub mod rule {
    pub struct RuleParams {
        /// Step size.
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
    }
    pub struct State {
        m: f32,
    }
    fn limit(x: f32) -> f32 {
        x
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &RuleParams) {
        *param -= hyper.learning_rate * grad;
        state.m = grad;
        *param -= state.m * state.m;
    }
}
