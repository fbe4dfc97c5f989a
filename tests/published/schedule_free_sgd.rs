// Schedule-Free SGD: Defazio et al., "The Road Less Scheduled", NeurIPS 2024. Gradients are taken at the parameter; the
// average that is evaluated is an entry away.
#[gpu_optimizer]
#[require(momentum > 0.0, "momentum must be above 0: the evaluation point divides by it")]
pub mod schedule_free_sgd {
    pub struct ScheduleFreeSgdParams {
        #[hyper(default = 1.0, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub momentum: f32,
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
        #[host]
        weight_sum: f64,
        #[host]
        rate_max: f64,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &ScheduleFreeSgdParams, step: u32) {
        let warm = if step < hyper.warmup_steps { step as f32 / hyper.warmup_steps as f32 } else { 1.0 };
        let rate = hyper.learning_rate * warm;
        state.rate_max = state.rate_max.max(rate);
        let weight = (step as f32).powf(hyper.r) * state.rate_max.powf(hyper.weight_lr_power);
        state.weight_sum += weight;
        let c = if state.weight_sum != 0.0 { weight / state.weight_sum } else { 0.0 };
        let g = grad + hyper.weight_decay * *param;
        *param = lerp(*param, state.z, c) + rate * (hyper.momentum * (1.0 - c) - 1.0) * g;
        state.z -= rate * g;
    }
    #[entry(mode = eval)]
    fn eval(param: &mut f32, state: &mut State, hyper: &ScheduleFreeSgdParams) {
        *param = lerp(*param, state.z, 1.0 - 1.0 / hyper.momentum);
    }
    #[entry(mode = train)]
    fn train(param: &mut f32, state: &mut State, hyper: &ScheduleFreeSgdParams) {
        *param = lerp(*param, state.z, 1.0 - hyper.momentum);
    }
}
