/// Rprop: a step size per element that grows while the gradient keeps its sign and shrinks when it turns.
///
/// Riedmiller & Braun, "A Direct Adaptive Method for Faster Backpropagation Learning: The RPROP Algorithm", ICNN 1993,
/// without weight backtracking (iRprop−: after a turn the gradient counts as 0 once), as `torch.optim.Rprop` has it:
/// `s` grows by η⁺ where `sign(grad)·sign(previous) > 0`, shrinks by η⁻ where it is negative, stays between the two
/// limits, and `p ← p − sign(g)·s`. The first size is the learning rate. For full batches: signs of noisy gradients
/// turn all the time.
#[gpu_optimizer]
#[require(0.0 < eta_minus && eta_minus < 1.0 && 1.0 < eta_plus, "needs 0 < eta_minus < 1 < eta_plus")]
#[require(step_min <= step_max, "step_min must not exceed step_max")]
pub mod rprop {
    /// Hyper-parameters of [`GpuRprop`].
    pub struct RpropParams {
        /// First step size of every element.
        #[hyper(default = 1e-2, range = 0.0..)]
        pub learning_rate: f32,
        /// Factor η⁻ after a turn.
        #[hyper(default = 0.5)]
        pub eta_minus: f32,
        /// Factor η⁺ while the sign stays.
        #[hyper(default = 1.2)]
        pub eta_plus: f32,
        /// Smallest step size.
        #[hyper(default = 1e-6, range = 0.0..)]
        pub step_min: f32,
        /// Largest step size.
        #[hyper(default = 50.0, range = 0.0..)]
        pub step_max: f32,
    }

    pub struct State {
        /// The gradient of the step before; 0 where the sign turned.
        previous: f32,
        /// Step size.
        #[init(learning_rate)]
        size: f32,
    }

    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &RpropParams) {
        let agreement = sign(grad) * sign(state.previous);
        let mut g = grad;
        if agreement > 0.0 {
            state.size *= hyper.eta_plus;
        } else if agreement < 0.0 {
            state.size *= hyper.eta_minus;
            g = 0.0;
        }
        state.size = state.size.clamp(hyper.step_min, hyper.step_max);
        *param -= sign(g) * state.size;
        state.previous = g;
    }
}
