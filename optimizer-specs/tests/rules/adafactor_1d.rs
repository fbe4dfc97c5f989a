// Adafactor (torch), tensors of one dimension only. 2-D needs AXIS + SHAPE + a third element pass.
#[gpu_optimizer]
#[require(ndim() == 1, "this rule is for tensors of one dimension")]
pub mod adafactor_1d {
    pub struct AdafactorParams {
        #[hyper(default = 1e-2, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = -0.8, range = ..=0.0)]
        pub beta2_decay: f32,
        /// None: f32::EPSILON.
        #[hyper(default = None)]
        pub eps1: Option<f32>,
        #[hyper(default = 1e-3, range = 0.0..)]
        pub eps2: f32,
        #[hyper(default = 1.0, range = 1.0..)]
        pub clip: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }
    pub struct State {
        v: f32,
    }
    fn rms(x: f32) -> f32 {
        mean(x * x).sqrt() // a helper that contains a reduction: fine once inlined
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &AdafactorParams, step: u32) {
        let eps1 = hyper.eps1.unwrap_or(f32::EPSILON);
        let weight = (step as f32).powf(hyper.beta2_decay);
        let rho = hyper.learning_rate.min(1.0 / (step as f32).sqrt());
        let alpha = rms(*param).max(hyper.eps2) * rho;
        *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
        state.v = (1.0 - weight) * state.v + weight * (grad * grad);
        let u = grad / state.v.max((eps1 * eps1).max(f32::MIN_POSITIVE)).sqrt();
        *param -= alpha / (rms(u) / hyper.clip).max(1.0) * u;
    }
}
