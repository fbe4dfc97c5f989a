// AdaSmooth: the decay of the second moment by how straight the way has been. Lu, "AdaSmooth: An Adaptive Learning Rate
// Method based on Effective Ratio", arXiv:2204.00825.
#[gpu_optimizer]
pub mod adasmooth {
    pub struct AdaSmoothParams {
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.5, range = 0.0..1.0)]
        pub beta1: f32,
        #[hyper(default = 0.99, range = 0.0..1.0)]
        pub beta2: f32,
        #[hyper(default = 1e-6, range = 1e-30..)]
        pub epsilon: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }
    pub struct State {
        #[init(param)]
        previous: f32,
        way: f32,
        length: f32,
        v: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &AdaSmoothParams) {
        let g = grad + hyper.weight_decay * *param;
        let moved = *param - state.previous;
        state.way += moved;
        state.length += moved.abs();
        let ratio = state.way.abs() / (state.length + hyper.epsilon);
        let c = (hyper.beta2 - hyper.beta1) * ratio + (1.0 - hyper.beta2);
        state.v = lerp(state.v, g * g, c * c);
        state.previous = *param;
        *param -= hyper.learning_rate * (g / (state.v + hyper.epsilon).sqrt());
    }
}
