#[gpu_optimizer]
pub mod rule {
    pub struct RuleParams {
        /// Step size.
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
    }
    fn update(param: &mut f32, grad: f32, hyper: &RuleParams) {
        let a = grad.floor();
        let b = grad % 2.0;
        let c = (count(grad > 0.0) + 1) as f32;
        let d = if count(grad > 0.0) > 5 { 1.0 } else { 2.0 };
        let e = if count(grad > 0.0) > 0 - 1 { 1.0 } else { 2.0 };
        let f = 1e30 * 1e30 * grad;
        let i = if norm(grad) > 1.0 { 1 } else { 2 };
        let j = grad.powi(count(grad > 0.0));
        let g = 1.0 / 0.0;
        let h = (1.0 - 2.0).sqrt();
        *param -= hyper.learning_rate * (a + b + c + d + e + f + g + h);
    }
}
