#[gpu_optimizer]
pub mod rule {
    pub struct RuleParams {
        /// Step size.
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
    }
    fn update(param: &mut f32, grad: f32, step: u32) {
        let a = sum();
        let b = norm(grad, grad);
        let c = min(grad, 1.0);
        let d = sign();
        let e = lerp(grad, 1.0);
        let f = len(grad) as f32;
        let g = dim() as f32;
        let h = dim(step) as f32;
        let i = grad.abs(1.0);
        let j = grad.max();
        let k = grad.clamp(1.0);
        let l = grad.mul_add(1.0);
        let m = grad.powi();
        let n = all::len(grad) as f32;
        let o = all::sum();
        let p = f32::max(grad, 1.0);
        let q = std::cmp::max(step, 1) as f32;
        let r = all::sums(grad);
        let s = all::unknown(grad);
        let t = all::count() as f32;
        let u = count() as f32;
        let v = ndim(1) as f32;
        let w = grad.powf();
        *param -= a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p + q + r;
    }
}
