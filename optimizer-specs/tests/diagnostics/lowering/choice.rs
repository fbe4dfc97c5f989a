#[gpu_optimizer]
pub mod rule {
    pub struct RuleParams {
        /// Step size.
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = None)]
        pub first: Option<f32>,
        #[hyper(default = None)]
        pub second: Option<f32>,
    }
    fn update(param: &mut f32, grad: f32, hyper: &RuleParams) {
        let choice = if grad > 0.0 { hyper.first } else { hyper.second };
        *param -= choice.unwrap_or(hyper.learning_rate);
    }
}
