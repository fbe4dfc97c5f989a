#[gpu_optimizer]
pub mod rule {
    pub struct RuleParams {
        /// Step size.
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
    }
    fn update(param: &mut f32, grad: f32) {
        let a = 1.0f64;
        let b = 1i32;
        let c = 1e39;
        let d = 5000000000;
        let e = "one";
        let f = 'x';
        let g = f32::INFINITY + f32::NAN + f32::NEG_INFINITY;
        let h = 1.0f32 + 1_000.5 + 1e-8 + -2.5e3 + 1f32;
        let i = 1_000u32 + 0x10;
        *param -= a + b + c + d + h + i as f32 + grad;
    }
}
