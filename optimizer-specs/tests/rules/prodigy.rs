// Prodigy (official default: no bias correction).
#[gpu_optimizer]
pub mod prodigy {
    pub struct ProdigyParams {
        #[hyper(default = 1.0, range = 0.0.., shared)]
        pub learning_rate: f32,
        #[hyper(default = 0.9, range = 0.0..1.0, shared)]
        pub beta1: f32,
        #[hyper(default = 0.999, range = 0.0..1.0, shared)]
        pub beta2: f32,
        /// None: sqrt(beta2).
        #[hyper(default = None, range = 0.0..1.0, shared)]
        pub beta3: Option<f32>,
        #[hyper(default = 1e-8, range = 0.0..)]
        pub epsilon: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
        #[hyper(default = 1e-6, range = 0.0.., shared)]
        pub d0: f32,
        #[hyper(default = 1.0, range = 0.0.., shared)]
        pub d_coef: f32,
        #[hyper(default = None, range = 1.0.., shared)]
        pub growth_rate: Option<f32>,
        #[hyper(default = false)]
        pub safeguard_warmup: bool,
        #[hyper(default = false)]
        pub bias_correction: bool,
    }
    pub struct State {
        m: f32,
        v: f32,
        s: f32,
        #[init(param)]
        p0: f32,
        #[all]
        #[init(d0)]
        d: f32,
        #[all]
        #[init(d0)]
        d_max: f32,
        #[all]
        numerator: f32,
    }
    // `run` = how often this optimizer has stepped; `step` = how often this tensor has
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &ProdigyParams, run: u32) {
        let beta3 = hyper.beta3.unwrap_or(hyper.beta2.sqrt());
        let bias = if hyper.bias_correction {
            (1.0 - hyper.beta2.powi(run)).sqrt() / (1.0 - hyper.beta1.powi(run))
        } else {
            1.0
        };
        let d = state.d; // the old one
        let d_lr = d * (hyper.learning_rate * bias);
        let gain = d / hyper.d0;

        state.numerator = beta3 * state.numerator + gain * d_lr * all::sum(grad * (state.p0 - *param));
        state.s = beta3 * state.s + gain * (if hyper.safeguard_warmup { d } else { d_lr }) * grad;
        let den = all::sum(state.s.abs());
        state.m = hyper.beta1 * state.m + d * (1.0 - hyper.beta1) * grad;
        state.v = hyper.beta2 * state.v + d * d * (1.0 - hyper.beta2) * (grad * grad);
        if den > 0.0 {
            let d_hat = hyper.d_coef * state.numerator / den;
            let mut next = if d == hyper.d0 { d.max(d_hat) } else { d };
            state.d_max = state.d_max.max(d_hat);
            if let Some(growth) = hyper.growth_rate {
                next = next * growth;
            } else {
                next = state.d_max; // min(d_max, inf)
            }
            state.d = next.min(state.d_max);
            *param *= 1.0 - hyper.weight_decay * d_lr;
            *param -= d_lr * state.m / (state.v.sqrt() + state.d * hyper.epsilon);
        }
    }
}
