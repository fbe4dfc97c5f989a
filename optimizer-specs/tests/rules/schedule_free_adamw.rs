// Schedule-Free AdamW.
#[gpu_optimizer]
#[require(beta1 > 0.0, "beta1 must be above 0: the evaluation point divides by it")]
pub mod schedule_free_adamw {
    pub struct ScheduleFreeAdamWParams {
        #[hyper(default = 2.5e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        #[hyper(default = 0.999, range = 0.0..1.0)]
        pub beta2: f32,
        #[hyper(default = 1e-8, range = 0.0..)]
        pub epsilon: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
        #[hyper(default = 0)]
        pub warmup_steps: u32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub r: f32,
        #[hyper(default = 2.0, range = 0.0..)]
        pub weight_lr_power: f32,
    }
    pub struct State {
        #[init(param)]
        z: f32,
        v: f32,
        #[host]
        weight_sum: f64,
        #[host]
        lr_max: f64,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &ScheduleFreeAdamWParams, step: u32) {
        let warm = if step < hyper.warmup_steps { step as f32 / hyper.warmup_steps as f32 } else { 1.0 };
        let lr = hyper.learning_rate * warm;
        state.lr_max = state.lr_max.max(lr);
        let weight = (step as f32).powf(hyper.r) * state.lr_max.powf(hyper.weight_lr_power);
        state.weight_sum += weight;
        let ck = if state.weight_sum != 0.0 { weight / state.weight_sum } else { 0.0 };

        let bias2 = 1.0 - hyper.beta2.powi(step);
        state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * grad * grad;
        let u = grad / ((state.v / bias2).sqrt() + hyper.epsilon) + hyper.weight_decay * *param;
        *param = lerp(*param, state.z, ck);
        *param += lr * (hyper.beta1 * (1.0 - ck) - 1.0) * u;
        state.z -= lr * u;
    }
    /// y -> x, for evaluation.
    #[entry(mode = eval)]
    fn eval(param: &mut f32, state: &mut State, hyper: &ScheduleFreeAdamWParams) {
        *param = lerp(*param, state.z, 1.0 - 1.0 / hyper.beta1);
    }
    /// x -> y, back to training.
    #[entry(mode = train)]
    fn train(param: &mut f32, state: &mut State, hyper: &ScheduleFreeAdamWParams) {
        *param = lerp(*param, state.z, 1.0 - hyper.beta1);
    }
}
