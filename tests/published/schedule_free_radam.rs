// Schedule-Free RAdam: RAdam, which needs no warm-up, under Schedule-Free averaging. Defazio et al., "The Road Less
// Scheduled", NeurIPS 2024, as pytorch_optimizer and the authors' code (`RAdamScheduleFree`) have it.
#[gpu_optimizer]
#[require(beta1 > 0.0, "beta1 must be above 0: the evaluation point divides by it")]
pub mod schedule_free_radam {
    pub struct ScheduleFreeRAdamParams {
        #[hyper(default = 2.5e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        #[hyper(default = 0.999, range = 0.0..1.0)]
        pub beta2: f32,
        #[hyper(default = 1e-8, range = 1e-30..)]
        pub epsilon: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub r: f32,
        #[hyper(default = 2.0, range = 0.0..)]
        pub weight_lr_power: f32,
        /// Whether nothing moves while the variance cannot be told; else plain gradients do, at a rate of 1.
        #[hyper(default = true)]
        pub silent_sgd_phase: bool,
    }
    pub struct State {
        v: f32,
        #[init(param)]
        z: f32,
        #[host]
        weight_sum: f64,
        #[host]
        rate_max: f64,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &ScheduleFreeRAdamParams, step: u32) {
        let power2 = hyper.beta2.powi(step);
        let bias2 = 1.0 - power2;
        let most = 2.0 / (1.0 - hyper.beta2) - 1.0;
        let rho = most - 2.0 * step as f32 * power2 / bias2;
        let rate = if rho > 4.0 {
            let rectified = (bias2 * (rho - 4.0) / (most - 4.0) * (rho - 2.0) / rho * most / (most - 2.0)).sqrt();
            hyper.learning_rate * rectified / bias2.sqrt()
        } else if hyper.silent_sgd_phase {
            0.0
        } else {
            1.0
        };
        state.rate_max = state.rate_max.max(rate);
        let weight = (step as f32).powf(hyper.r) * state.rate_max.powf(hyper.weight_lr_power);
        state.weight_sum += weight;
        let c = if state.weight_sum != 0.0 { weight / state.weight_sum } else { 0.0 };
        state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * grad * grad;
        let normalized = if rho > 4.0 { grad / (state.v.sqrt() / bias2.sqrt() + hyper.epsilon) } else { grad };
        let g = normalized + hyper.weight_decay * *param;
        *param = lerp(*param, state.z, c) + rate * (hyper.beta1 * (1.0 - c) - 1.0) * g;
        state.z -= rate * g;
    }
    #[entry(mode = eval)]
    fn eval(param: &mut f32, state: &mut State, hyper: &ScheduleFreeRAdamParams) {
        *param = lerp(*param, state.z, 1.0 - 1.0 / hyper.beta1);
    }
    #[entry(mode = train)]
    fn train(param: &mut f32, state: &mut State, hyper: &ScheduleFreeRAdamParams) {
        *param = lerp(*param, state.z, 1.0 - hyper.beta1);
    }
}
