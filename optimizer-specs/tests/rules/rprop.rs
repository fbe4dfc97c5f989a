// Rprop, torch form. Element-extent branches with assignments.
#[gpu_optimizer]
#[require(0.0 < eta_minus && eta_minus < 1.0 && 1.0 < eta_plus, "needs 0 < eta_minus < 1 < eta_plus")]
#[require(step_min <= step_max, "step_min must not exceed step_max")]
pub mod rprop {
    pub struct RpropParams {
        #[hyper(default = 1e-2, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.5)]
        pub eta_minus: f32,
        #[hyper(default = 1.2)]
        pub eta_plus: f32,
        #[hyper(default = 1e-6, range = 0.0..)]
        pub step_min: f32,
        #[hyper(default = 50.0, range = 0.0..)]
        pub step_max: f32,
    }
    pub struct State {
        prev: f32,
        #[init(learning_rate)]
        size: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &RpropParams, step: u32) {
        let mut g = grad;
        let agree = sign(grad) * sign(state.prev); // exactly -1, 0 or 1
        if agree > 0.0 {
            state.size *= hyper.eta_plus;
        } else if agree < 0.0 {
            state.size *= hyper.eta_minus;
            g = 0.0;
        }
        state.size = state.size.clamp(hyper.step_min, hyper.step_max);
        *param -= sign(g) * state.size;
        state.prev = g;
    }
}
