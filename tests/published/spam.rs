// SPAM: AdamW that clips spikes of the gradient and forgets its moments at intervals, with 50 steps of warm-up after
// each. Huang et al., "SPAM: Spike-Aware Adam with Momentum Reset for Stable LLM Training", ICLR 2025, at its density
// of 1, where no element is left out.
#[gpu_optimizer]
pub mod spam {
    pub struct SpamParams {
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        #[hyper(default = 0.999, range = 0.0..1.0)]
        pub beta2: f32,
        #[hyper(default = 5000.0, range = 0.0..)]
        pub threshold: f32,
        #[hyper(default = 20)]
        pub accumulation_steps: u32,
        #[hyper(default = 500, range = 1..)]
        pub reset: u32,
        #[hyper(default = 1e-6, range = 1e-30..)]
        pub epsilon: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }
    pub struct State {
        m: f32,
        v: f32,
        /// Cosine and sine of the warm-up's angle, which grows by π/51 a step.
        #[host]
        cosine: f64,
        #[host]
        sine: f64,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &SpamParams, step: u32) {
        let bias1 = 1.0 - hyper.beta1.powi(step);
        let bias2 = 1.0 - hyper.beta2.powi(step);
        let since = step % hyper.reset;
        let (cosine, sine) = (0.9981033287370441, 0.06156090613372129);
        if since == 0 {
            state.cosine = cosine;
            state.sine = sine;
            state.m = 0.0;
            state.v = 0.0;
        } else {
            let before = state.cosine;
            state.cosine = cosine * before - sine * state.sine;
            state.sine = sine * before + cosine * state.sine;
        }
        let is_warming = step >= hyper.reset && since < 50;
        let warm = if is_warming { 1.0 - 0.99 * (1.0 + state.cosine) / 2.0 } else { 1.0 };
        let mut g = grad;
        if step >= hyper.accumulation_steps && since >= hyper.accumulation_steps && hyper.threshold != 0.0 {
            let is_spike = grad * grad > hyper.threshold * state.v;
            g = if is_spike { sign(grad) * (state.v * hyper.threshold).sqrt() } else { grad };
        }
        state.m = lerp(state.m, g, 1.0 - hyper.beta1);
        state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * g * g;
        let rate = hyper.learning_rate * bias2.sqrt() / bias1 * warm;
        *param -= rate * (state.m / (state.v.sqrt() + hyper.epsilon));
        *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
    }
}
