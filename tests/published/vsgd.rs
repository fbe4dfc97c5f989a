// VSGD: gradient descent as variational inference of the true gradient behind the noisy one. Chen et al., "Variational
// Stochastic Gradient Descent for Deep Neural Networks", arXiv:2404.06549.
#[gpu_optimizer]
pub mod vsgd {
    pub struct VsgdParams {
        #[hyper(default = 0.1, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 30.0, range = 0.0..)]
        pub ratio: f32,
        #[hyper(default = 1e-8, range = 1e-30..)]
        pub prior: f32,
        #[hyper(default = 0.81, range = 0.0..)]
        pub tau1: f32,
        #[hyper(default = 0.9, range = 0.0..)]
        pub tau2: f32,
        #[hyper(default = 1e-8, range = 1e-30..)]
        pub epsilon: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }
    pub struct State {
        mean: f32,
        b: f32,
        b_noisy: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &VsgdParams, step: u32) {
        *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
        let shape = 2.0 * hyper.prior + 1.0 + 1e-4;
        let (prior, prior_noisy) = (2.0 * hyper.prior, 2.0 * hyper.ratio * hyper.prior);
        let (s, s_noisy) = if step == 1 {
            (prior / (shape - 1.0), prior_noisy / (shape - 1.0))
        } else {
            (state.b / shape, state.b_noisy / shape)
        };
        let before = state.mean;
        state.mean = (before * s_noisy + grad * s) / (s + s_noisy);
        let mean = state.mean;
        let square = mean * mean + s * s_noisy / (s + s_noisy);
        let b = prior + square - 2.0 * mean * before + before * before;
        let b_noisy = prior_noisy + square - 2.0 * grad * mean + grad * grad;
        state.b = lerp(state.b, b, (step as f32).powf(-hyper.tau1));
        state.b_noisy = lerp(state.b_noisy, b_noisy, (step as f32).powf(-hyper.tau2));
        *param -= hyper.learning_rate / (square.sqrt() + hyper.epsilon) * mean;
    }
}
