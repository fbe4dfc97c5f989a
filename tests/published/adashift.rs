// AdaShift: Adam whose second moment takes the largest square of a gradient that is ten steps old, so that it does not
// depend on the present one. Zhou et al., "AdaShift: Decorrelation and Convergence of Adaptive Learning Rate Methods",
// ICLR 2019. Nothing moves before the eleventh step.
#[gpu_optimizer]
pub mod adashift {
    pub struct AdaShiftParams {
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        #[hyper(default = 0.999, range = 0.0..1.0)]
        pub beta2: f32,
        #[hyper(default = 1e-10, range = 1e-30..)]
        pub epsilon: f32,
    }
    pub struct State {
        m: f32,
        #[tensor]
        v: f32,
        /// The gradients of the last ten steps, the oldest first.
        g0: f32,
        g1: f32,
        g2: f32,
        g3: f32,
        g4: f32,
        g5: f32,
        g6: f32,
        g7: f32,
        g8: f32,
        g9: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &AdaShiftParams, step: u32) {
        let weights = (1.0 - hyper.beta1.powi(10)) / (1.0 - hyper.beta1);
        let oldest = state.g0;
        state.g0 = state.g1;
        state.g1 = state.g2;
        state.g2 = state.g3;
        state.g3 = state.g4;
        state.g4 = state.g5;
        state.g5 = state.g6;
        state.g6 = state.g7;
        state.g7 = state.g8;
        state.g8 = state.g9;
        state.g9 = grad;
        state.m = hyper.beta1 * (state.m - hyper.beta1.powi(9) / weights * oldest) + 1.0 / weights * grad;
        if step > 10 {
            state.v = lerp(state.v, max(oldest * oldest), 1.0 - hyper.beta2);
            let bias2 = 1.0 - hyper.beta2.powi(step - 10);
            *param -= hyper.learning_rate * (state.m / ((state.v / bias2).sqrt() + hyper.epsilon));
        }
    }
}
