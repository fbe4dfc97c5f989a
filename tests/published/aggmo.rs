// AggMo with its three momenta: the mean of momentum buffers of different decay. Lucas et al., "Aggregated Momentum:
// Stability Through Passive Damping", ICLR 2019.
#[gpu_optimizer]
pub mod aggmo {
    pub struct AggMoParams {
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.0, range = 0.0..1.0)]
        pub beta1: f32,
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta2: f32,
        #[hyper(default = 0.99, range = 0.0..1.0)]
        pub beta3: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }
    pub struct State {
        fast: f32,
        middle: f32,
        slow: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &AggMoParams) {
        let g = grad + hyper.weight_decay * *param;
        state.fast = hyper.beta1 * state.fast + g;
        state.middle = hyper.beta2 * state.middle + g;
        state.slow = hyper.beta3 * state.slow + g;
        *param -= hyper.learning_rate / 3.0 * (state.fast + state.middle + state.slow);
    }
}
