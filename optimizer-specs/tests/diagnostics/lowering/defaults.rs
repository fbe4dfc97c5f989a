#[gpu_optimizer]
#[require(!nesterov, "nesterov is not written yet")]
pub mod rule {
    pub struct RuleParams {
        /// Step size.
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = true)]
        pub nesterov: bool,
    }
    fn update(param: &mut f32, grad: f32, hyper: &RuleParams) {
        *param -= if hyper.nesterov { grad } else { hyper.learning_rate };
    }
}

#[gpu_optimizer]
#[require(warmup > 10 && rate.sqrt() < 1.0, "warm up for more than ten steps")]
pub mod of_a_value {
    pub struct WarmParams {
        #[hyper(default = 1e-3, range = 0.0..)]
        pub rate: f32,
        #[hyper(default = 10, range = 1..)]
        pub warmup: u32,
    }
    fn update(param: &mut f32, grad: f32, hyper: &WarmParams) {
        *param -= hyper.rate / hyper.warmup as f32 * grad;
    }
}
