// Stable-SPAM: Adam over gradients that are clipped by a mean of their largest elements, then brought to a mean of their
// norms, with moments that begin anew at intervals. Huang et al., "Stable-SPAM: How to Train in 4-Bit More Stably than
// 16-Bit Adam", arXiv:2502.17055.
#[gpu_optimizer]
pub mod stablespam {
    pub struct StableSpamParams {
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        #[hyper(default = 0.999, range = 0.0..1.0)]
        pub beta2: f32,
        #[hyper(default = 0.7, range = 0.0..1.0)]
        pub gamma1: f32,
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub gamma2: f32,
        #[hyper(default = 0.999, range = 0.0..1.0)]
        pub theta: f32,
        #[hyper(default = 1e-8, range = 1e-30..)]
        pub epsilon: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
        #[hyper(default = 1000, range = 1..)]
        pub reset: u32,
    }
    pub struct State {
        m: f32,
        v: f32,
        #[tensor]
        m_max: f32,
        #[tensor]
        m_norm: f32,
        #[tensor]
        v_norm: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &StableSpamParams, step: u32) {
        if step % hyper.reset == 0 {
            state.m = 0.0;
            state.v = 0.0;
        }
        // The step of the reset counts as the first; before any, steps count from 1 as well.
        let t = if step < hyper.reset { step } else { 1 + step % hyper.reset };
        *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
        let top = max_abs(grad);
        state.m_max = hyper.theta * state.m_max + (1.0 - hyper.theta) * top;
        let limit = state.m_max / (1.0 - hyper.theta.powi(step));
        let clipped = if grad.abs() > limit { grad / top * limit } else { grad };
        let size = norm(clipped);
        if size > 0.0 {
            state.m_norm = hyper.gamma1 * state.m_norm + (1.0 - hyper.gamma1) * size;
            state.v_norm = hyper.gamma2 * state.v_norm + (1.0 - hyper.gamma2) * (size * size);
            let m_hat = state.m_norm / (1.0 - hyper.gamma1.powi(step));
            let v_hat = state.v_norm / (1.0 - hyper.gamma2.powi(step));
            let g = clipped / size * (m_hat / (v_hat.sqrt() + hyper.epsilon));
            state.m = hyper.beta1 * state.m + (1.0 - hyper.beta1) * g;
            state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * g * g;
            let bias1 = 1.0 - hyper.beta1.powi(t);
            let bias2 = 1.0 - hyper.beta2.powi(t);
            *param -= hyper.learning_rate / bias1 * state.m / ((state.v / bias2).sqrt() + hyper.epsilon);
        }
    }
}
