#[gpu_optimizer]
pub mod rule {
    pub struct RuleParams {
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
    }
    const dyn: f32 = 1.0;
    fn update(param: &mut f32, grad: f32, hyper: &RuleParams) {
        *param -= grad;
    }
}
