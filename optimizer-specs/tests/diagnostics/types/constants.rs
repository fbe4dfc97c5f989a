#[gpu_optimizer]
pub mod rule {
    pub struct RuleParams {
        /// Step size.
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
    }
    const A: f32 = 1;
    const B: u32 = 1.0;
    const C: f32 = D + 1.0;
    const D: f32 = C;
    const E: f64 = 1.0;
    const F: f32 = 2.0.sqrt();
    const G: (f32, f32) = (1.0, 2.0);
    const H: u32 = 1 - 2;
    const I: f32 = f32::MAX * 2.0;
    const J: f32 = -(0.5 + 1.0 / 3.0) * f32::EPSILON + B as f32;
    const K: u32 = 1 / 0;
    const L: f32 = hyper.learning_rate;
    const M: f32 = norm(1.0);
    const N: bool = 1.0 < 2.0;
    const O: f32 = unknown + half(1.0);
    fn update(param: &mut f32, grad: f32) {
        *param -= grad * (A + C + D + F) + B as f32 + J;
    }
}
