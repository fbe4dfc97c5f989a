// AdaHessian: Adam with the diagonal of the Hessian for the second moment, of which the caller gives an estimate at
// each step. Yao et al., "ADAHESSIAN: An Adaptive Second Order Optimizer for Machine Learning", AAAI 2021.
#[gpu_optimizer]
pub mod adahessian {
    pub struct AdaHessianParams {
        #[hyper(default = 0.1, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        #[hyper(default = 0.999, range = 0.0..1.0)]
        pub beta2: f32,
        #[hyper(default = 1.0, range = 0.0..=1.0)]
        pub hessian_power: f32,
        #[hyper(default = 1e-16, range = 1e-30..)]
        pub epsilon: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }
    pub struct State {
        m: f32,
        v: f32,
    }
    fn update(
        param: &mut f32,
        grad: f32,
        state: &mut State,
        hyper: &AdaHessianParams,
        step: u32,
        #[input] hessian: f32,
    ) {
        let bias1 = 1.0 - hyper.beta1.powi(step);
        let bias2 = 1.0 - hyper.beta2.powi(step);
        *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
        state.m = lerp(state.m, grad, 1.0 - hyper.beta1);
        state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * hessian * hessian;
        let denominator = (state.v / bias2).powf(hyper.hessian_power / 2.0) + hyper.epsilon;
        *param -= hyper.learning_rate / bias1 * (state.m / denominator);
    }
}
