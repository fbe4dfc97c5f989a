// ASGD of pytorch_optimizer: gradient descent whose rate follows the local smoothness. Malitsky & Mishchenko, "Adaptive
// Gradient Descent without Descent", ICML 2020. (torch's ASGD is another.)
#[gpu_optimizer]
pub mod adaptive_sgd {
    pub struct AdaptiveSgdParams {
        #[hyper(default = 1e-2, range = 0.0.., shared)]
        pub learning_rate: f32,
        #[hyper(default = 0.02, range = 0.0.., shared)]
        pub amplifier: f32,
        #[hyper(default = 1.0, range = 0.0.., shared)]
        pub theta: f32,
        #[hyper(default = 1.0, range = 1e-30.., shared)]
        pub dampening: f32,
        #[hyper(default = 1e-5, range = 0.0.., shared)]
        pub epsilon: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }
    pub struct State {
        #[all]
        param_norm: f32,
        #[all]
        grad_norm: f32,
        #[all]
        #[init(theta)]
        theta: f32,
        #[all]
        #[init(learning_rate)]
        rate: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &AdaptiveSgdParams, run: u32) {
        let (param_norm, grad_norm) = (all::norm(*param), all::norm(grad));
        let param_change = if run == 1 { 0.0 } else { param_norm - state.param_norm };
        let grad_change = if run == 1 { 0.0 } else { grad_norm - state.grad_norm };
        let grown = state.rate * (1.0 + hyper.amplifier * state.theta).sqrt();
        let rate = if param_change > 0.0 && grad_change > 0.0 {
            grown.min(param_change / (hyper.dampening * grad_change)) + hyper.epsilon
        } else {
            grown
        };
        state.theta = rate / state.rate;
        state.rate = rate;
        state.param_norm = param_norm;
        state.grad_norm = grad_norm;
        *param *= 1.0 - hyper.weight_decay * rate;
        *param -= rate * grad;
    }
}
