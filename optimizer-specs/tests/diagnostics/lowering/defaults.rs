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
