#[gpu_optimizer]
pub mod rule {
    pub struct RuleParams {
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
    }
    fn update(param: &mut f32, grad: f32, hyper: &RuleParams) {
        let a = if grad > 0.0 & grad < 1.0 { 1.0 } else { 2.0 };
    }
}
