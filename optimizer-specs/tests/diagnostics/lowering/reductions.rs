#[gpu_optimizer]
pub mod rule {
    pub struct RuleParams {
        /// Step size.
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
    }
    fn update(param: &mut f32, grad: f32, hyper: &RuleParams) {
        let a = sum(hyper.learning_rate);
        let b = norm(norm(grad));
        let d = all::sum(hyper.learning_rate);
        let c = if grad > 0.0 { mean(grad) } else { 0.0 };
        let d = if norm(grad) > 1.0 { mean(grad * 2.0) } else { 0.0 };
        *param -= a + b + c + d;
    }
}
