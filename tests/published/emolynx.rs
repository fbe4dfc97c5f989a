// EmoLynx: Lion whose rate follows means of the loss, as pytorch_optimizer has it, without its shadow. muooon,
// "EmoNAVI", 2025. The loss is the same number for every tensor, given at each step.
#[gpu_optimizer]
pub mod emolynx {
    pub struct EmoLynxParams {
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        #[hyper(default = 0.99, range = 0.0..1.0)]
        pub beta2: f32,
        #[hyper(default = 0.01, range = 0.0..)]
        pub weight_decay: f32,
    }
    pub struct State {
        m: f32,
        #[host]
        short: f64,
        #[host]
        medium: f64,
        #[host]
        long: f64,
    }
    /// How fast to go, by how the loss's short mean stands to its long one.
    fn drive(state: &mut State, loss: f32, step: u32) -> f32 {
        state.short = 0.3 * loss + 0.7 * (if step == 1 { loss } else { state.short });
        state.medium = 0.05 * loss + 0.95 * (if step == 1 { loss } else { state.medium });
        state.long = 0.01 * loss + 0.99 * (if step == 1 { loss } else { state.long });
        let (base_long, base_medium) = (state.long.max(1e-5), state.medium.max(1e-5));
        let by_long = (state.long - state.short) / base_long;
        let by_medium = (state.long - state.short) / base_medium;
        let takes_medium = by_long.abs() >= 0.05 && by_medium.abs() * base_medium < by_long.abs() * base_long;
        let scalar = (if takes_medium { by_medium } else { by_long }).tanh();
        let trust = sign(scalar) * (1.0 - scalar.abs());
        if scalar.abs() > 0.25 && scalar.abs() < 0.5 {
            8.0 * trust.abs() * (1.0 + 0.1 * trust)
        } else if scalar.abs() > 0.75 {
            1.0 - scalar.abs()
        } else {
            1.0
        }
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &EmoLynxParams, step: u32, #[scalar] loss: f32) {
        let drive = drive(state, loss, step);
        *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
        let direction = sign(hyper.beta1 * state.m + (1.0 - hyper.beta1) * grad);
        state.m = lerp(state.m, grad, 1.0 - hyper.beta2);
        *param -= hyper.learning_rate * drive * direction;
    }
}
