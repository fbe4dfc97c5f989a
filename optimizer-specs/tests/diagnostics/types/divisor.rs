#[gpu_optimizer]
#[require(1 / len() + 1 / fine > 0, "divides by the shape")]
pub mod rule {
    pub struct RuleParams {
        /// Step size.
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 10)]
        pub every: u32,
        #[hyper(default = 10, range = 1..)]
        pub fine: u32,
        #[hyper(default = None, range = 1..)]
        pub optional: Option<u32>,
    }
    #[entry]
    fn other(param: &mut f32, step: u32) {
        *param = (10 / step) as f32;
    }
    fn update(param: &mut f32, grad: f32, hyper: &RuleParams, step: u32, run: u32) {
        let a = step / hyper.every;
        let b = step % hyper.fine;
        let c = 1 / 0;
        let d = 1 / step + 1 / run + 1 / len() + 1 / 3 + 1 / (4 - 1);
        let e = step / (hyper.every + 1);
        let f = step % hyper.every.max(1);
        let n = hyper.every;
        let g = step / n;
        let m = hyper.fine;
        let h = step / m;
        let i = step as f32 / hyper.every as f32;
        let mut k = 1;
        let l = step / k;
        k = 0;
        let o = if let Some(n) = hyper.optional { step % n } else { 0 };
        let p = step % (step - 1) + step % (step * hyper.fine) + step / ndim();
        let q = step % hyper.optional.unwrap_or(2) + step % hyper.optional.unwrap_or(0);
        *param -= (a + b + c + d + e + f + g + h + l + o + p + q) as f32 + i + grad;
    }
}
