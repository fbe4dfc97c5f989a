#[gpu_optimizer]
#[require(in_require > 0.0, "must be above 0")]
pub mod rule {
    pub struct RuleParams {
        /// Step size.
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 1.0)]
        pub unused: f32,
        #[hyper(default = 1.0)]
        pub in_require: f32,
        #[hyper(default = 1.0)]
        pub in_init: f32,
    }
    pub struct State {
        untouched: f32,
        written: f32,
        #[keep]
        #[init(in_init)]
        kept: f32,
    }
    fn helper(x: f32) -> f32 {
        x
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &RuleParams, step: u32) {
        *param -= hyper.learning_rate * grad;
        state.written = grad;
        let _ = step;
    }
}
