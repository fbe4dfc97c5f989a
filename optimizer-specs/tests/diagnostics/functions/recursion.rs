#[gpu_optimizer]
pub mod rule {
    pub struct RuleParams {
        /// Step size.
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
    }
    fn itself(x: f32) -> f32 {
        itself(x - 1.0)
    }
    fn even(x: f32) -> f32 {
        if x > 0.0 { odd(x - 1.0) } else { fine(x) }
    }
    fn odd(x: f32) -> f32 {
        even(x - 1.0)
    }
    fn fine(x: f32) -> f32 {
        x
    }
    fn update(param: &mut f32, grad: f32) {
        *param -= itself(grad) + even(grad) + fine(grad) + fine(grad);
    }
}
