// KATE: Adagrad without its root, scale-invariant. Choudhury et al., "Remove that Square Root: A New Efficient
// Scale-Invariant Version of AdaGrad", NeurIPS 2024.
#[gpu_optimizer]
pub mod kate {
    pub struct KateParams {
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub delta: f32,
        #[hyper(default = 1e-8, range = 0.0..)]
        pub epsilon: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }
    pub struct State {
        /// The square of the numerator.
        m: f32,
        /// The denominator.
        b: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &KateParams) {
        *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
        let square = grad * grad;
        state.b = state.b + square + hyper.epsilon;
        state.m = state.m + hyper.delta * square + (if state.b == 0.0 { 0.0 } else { square / state.b });
        *param -= if state.b == 0.0 { 0.0 } else { hyper.learning_rate * (state.m.sqrt() * grad / state.b) };
    }
}
