#[gpu_optimizer(crate = super::engine)]
#[expect(dead_code)]
#[rustfmt::skip]
pub mod rule {
    #[warn(missing_docs)]
    pub struct RuleParams {
        #[hyper(default = 1e-3)]
        #[deny(missing_docs)]
        pub learning_rate: f32,
    }
    fn update(param: &mut f32, grad: f32, hyper: &RuleParams) {
        *param -= hyper.learning_rate * grad;
    }
}
