#[gpu_optimizer]
pub mod rule {
    pub struct RuleParams {
        /// Step size.
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = true)]
        pub flag: bool,
    }
    pub struct State {
        m: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &RuleParams, step: u32) {
        let a = grad + 1;
        let b = 2 * hyper.learning_rate;
        let c = grad * step;
        let d = step + 1.0;
        let e = grad * (step + 1);
        let f = -true;
        let g = !grad;
        let h = grad && true;
        let i = grad + hyper.flag;
        let j = hyper.flag + grad;
        let k = grad % 2;
        let l = grad.max(0);
        let m = step.max(0.0);
        let n = grad.powi(2.0);
        let o = grad.powf(2);
        let p = step.sqrt();
        let q = hyper.flag.abs();
        let r = grad.clamp(0, 1.0);
        let s = sum(step);
        let t = count(grad);
        let u = mean(grad > 0.0);
        let v = sign(step);
        let w = 1.powi(2);
        let x = true.powi(step);
        *param -= a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p + q + r + s + t + u + v + w + x;
    }
}
