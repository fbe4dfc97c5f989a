/// Schedule-Free AdamW: no schedule, by averaging the iterates while training.
///
/// Defazio et al., "The Road Less Scheduled", NeurIPS 2024, Algorithm 1, as the authors' code (`AdamWScheduleFree`) and
/// pytorch_optimizer have it: the parameter holds `y`, where gradients are taken; `z` takes the steps, and `x = y + (1
/// − 1/β₁)(z − y)` is the average that is evaluated. With `v` as in Adam and `u = grad/(√(v/(1 − β₂ᵗ)) + ε) +
/// weight_decay·y`: `y ← y + c(z − y) + lrₜ(β₁(1 − c) − 1)u`, `z ← z − lrₜ·u`, where the weight `c = wₜ/Σw` with `wₜ =
/// tʳ·lr_max^power`, and `lrₜ` comes up over `warmup_steps`.
///
/// Call the entry `eval` before the model is evaluated or saved, and `train` before training goes on; a step in between
/// is an error. Where the denominator is 0 the normalized gradient is 0.
#[gpu_optimizer]
#[require(beta1 > 0.0, "beta1 must be above 0: the evaluation point divides by it")]
pub mod schedule_free_adamw {
    /// Hyper-parameters of [`GpuScheduleFreeAdamW`].
    pub struct ScheduleFreeAdamWParams {
        /// Step size.
        #[hyper(default = 2.5e-3, range = 0.0..)]
        pub learning_rate: f32,
        /// Interpolation β₁ between `z` (0) and the average (1) at which gradients are taken.
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        /// Decay rate β₂ of the second moment.
        #[hyper(default = 0.999, range = 0.0..1.0)]
        pub beta2: f32,
        /// Added to the root of the second moment.
        #[hyper(default = 1e-8, range = 0.0..)]
        pub epsilon: f32,
        /// Weight decay at `y`, added to the normalized gradient.
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
        /// Steps over which the rate comes up; 0 for none.
        #[hyper(default = 0)]
        pub warmup_steps: u32,
        /// Power r of the step in the weight of an iterate.
        #[hyper(default = 0.0, range = 0.0..)]
        pub r: f32,
        /// Power of the largest rate so far in the weight of an iterate.
        #[hyper(default = 2.0, range = 0.0..)]
        pub weight_lr_power: f32,
    }

    pub struct State {
        /// The point that takes the steps.
        #[init(param)]
        z: f32,
        /// Second moment: decaying mean of the squared gradient.
        v: f32,
        /// Sum of the weights so far.
        #[host]
        weight_sum: f64,
        /// The largest rate so far.
        #[host]
        rate_max: f64,
    }

    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &ScheduleFreeAdamWParams, step: u32) {
        let warm = if step < hyper.warmup_steps { step as f32 / hyper.warmup_steps as f32 } else { 1.0 };
        let rate = hyper.learning_rate * warm;
        state.rate_max = state.rate_max.max(rate);
        let weight = (step as f32).powf(hyper.r) * state.rate_max.powf(hyper.weight_lr_power);
        state.weight_sum += weight;
        let c = if state.weight_sum != 0.0 { weight / state.weight_sum } else { 0.0 };
        let bias2 = 1.0 - hyper.beta2.powi(step);
        state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * grad * grad;
        let denominator = (state.v / bias2).sqrt() + hyper.epsilon;
        let normalized = if denominator == 0.0 { 0.0 } else { grad / denominator };
        let u = normalized + hyper.weight_decay * *param;
        *param = lerp(*param, state.z, c);
        *param += rate * (hyper.beta1 * (1.0 - c) - 1.0) * u;
        state.z -= rate * u;
    }

    /// From `y`, where gradients are taken, to the average `x`.
    #[entry(mode = eval)]
    fn eval(param: &mut f32, state: &mut State, hyper: &ScheduleFreeAdamWParams) {
        *param = lerp(*param, state.z, 1.0 - 1.0 / hyper.beta1);
    }

    /// From the average `x` back to `y`.
    #[entry(mode = train)]
    fn train(param: &mut f32, state: &mut State, hyper: &ScheduleFreeAdamWParams) {
        *param = lerp(*param, state.z, 1.0 - hyper.beta1);
    }
}
