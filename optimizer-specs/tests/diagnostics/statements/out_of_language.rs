#[gpu_optimizer]
pub mod rule {
    pub struct RuleParams {
        /// Step size.
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = None, range = 1..)]
        pub every: Option<u32>,
    }
    fn update(param: &mut f32, grad: f32, hyper: &RuleParams, step: u32) {
        let a = grad.matmul(*param);
        let b = transpose(grad);
        let c = sum_axis(grad, 0);
        let d = randn();
        let e = grad.uniform();
        let f = newton_schulz(grad);
        let g = grad.signum();
        let h = grad.pow(2);
        let i = grad.log10();
        let j = grad.is_nan();
        let k = hyper.every.unwrap();
        let l = hyper.every.is_none();
        let m = step.saturating_sub(1);
        let n = grad.round();
        let o = sqrt(grad);
        let p = max_abs(grad, 1.0);
        let q = grad.sign();
        let r = grad.norm();
        let s = abs();
        let t = grad.lerp(1.0, 0.5);
        let u = grad.sin() + grad.square() + grad.select() + grad.rsqrt() + grad.exp2();
        *param -= grad;
    }
}
