#[gpu_optimizer]
pub mod rule {
    pub struct RuleParams {
        #[hyper(default = 1e-3)]
        pub learning_rate: f32,
    }
    fn descend(param: &mut f32, grad: f32, hyper: &RuleParams) {
        *param -= hyper.learning_rate * grad;
    }
}
