// NAdam, torch.optim form.
#[gpu_optimizer]
pub mod nadam {
    pub struct NAdamParams {
        #[hyper(default = 2e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        #[hyper(default = 0.999, range = 0.0..1.0)]
        pub beta2: f32,
        #[hyper(default = 1e-8, range = 0.0..)]
        pub epsilon: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
        #[hyper(default = 4e-3, range = 0.0..)]
        pub momentum_decay: f32,
        #[hyper(default = false)]
        pub decoupled_weight_decay: bool,
    }
    pub struct State {
        m: f32,
        v: f32,
        #[host]
        #[init(1.0)]
        mu_product: f64,
    }
    fn momentum(hyper: &NAdamParams, t: u32) -> f32 {
        hyper.beta1 * (1.0 - 0.5 * 0.96.powf(t as f32 * hyper.momentum_decay))
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &NAdamParams, step: u32) {
        let mu = momentum(hyper, step);
        let mu_next = momentum(hyper, step + 1);
        state.mu_product *= mu;
        let bias2 = 1.0 - hyper.beta2.powi(step);
        let g = if hyper.decoupled_weight_decay {
            *param *= 1.0 - hyper.learning_rate * hyper.weight_decay; // write in an arm whose other arm does not write
            grad
        } else {
            grad + hyper.weight_decay * *param
        };
        state.m = hyper.beta1 * state.m + (1.0 - hyper.beta1) * g;
        state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * g * g;
        let denom = (state.v / bias2).sqrt() + hyper.epsilon;
        let now = hyper.learning_rate * (1.0 - mu) / (1.0 - state.mu_product);
        let next = hyper.learning_rate * mu_next / (1.0 - state.mu_product * mu_next);
        *param -= now * g / denom;
        *param -= next * state.m / denom;
    }
}
