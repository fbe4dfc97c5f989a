#[gpu_optimizer]
pub mod rule {
    pub struct RuleParams {
        /// Step size.
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = None)]
        pub every: Option<u32>,
    }
    pub struct State {
        m: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &RuleParams, step: u32) {
        let a = grad as f32;
        let b = grad as u32;
        let c = step as f64;
        let d = (step > 1) as f32;
        let e = hyper.every as f32;
        let f = step as usize;
        let g = step as u32;
        let h: u32 = grad;
        let i: f32 = step;
        let j: bool = 1;
        let k: (f32, u32) = (1.0, 2.0);
        let l: f64 = 1.0;
        let m: &f32 = grad;
        *param -= a + b + c + d + e + f + g + h + i + k;
    }
}
