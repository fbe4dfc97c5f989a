#[gpu_optimizer(krate = optirs)]
#[require(if let Some(most) = limit { most > 0.0 } else { true }, "the limit must be above 0")]
#[require(!nesterov, "nesterov is not written yet")]
pub mod rule {
    use std::f32;
    pub struct RuleParams {
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.9, rnage = 0.0..1.0)]
        pub momentum: f32,
        #[hyper(default = None)]
        pub limit: Option<f32>,
        #[hyper(default = true)]
        pub nesterov: bool,
    }
    pub struct State {
        m: f32,
        #[tensor]
        size: f32,
        #[host]
        count: f64,
    }
    fn scaled(x: f32, hyper: &RuleParams) -> f32 {
        x * hyper.learnin_rate
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &RuleParams, step: u32) {
        let mut total = 0.0;
        for i in 0..3 {
            total += grad;
        }
        let size = norm(total);
        state.size = grad;
        let whole = sum(hyper.momentum);
        let floor = grad.floor();
        state.count += size;
        let g = if grad > 0.0 { mean(grad) } else { 0.0 };
        let power = grad * step;
        state.m = hyper.momentum * state.m + scaled(g, hyper) + power + floor + whole;
        if grad < unknown {
            state.size = 1.0;
            total = 2.0;
        }
        *param -= hyper.learning_rate * state.m * norm(total) * state.size + state.count;
    }
}
