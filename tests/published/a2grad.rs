// A2Grad: accelerated gradient descent whose steps shrink with the variance of the gradient around its mean. Deng et
// al., "Optimal Adaptive and Accelerated Stochastic Gradient Descent", arXiv:1810.00553, with uniform averaging.
#[gpu_optimizer]
pub mod a2grad {
    pub struct A2GradParams {
        #[hyper(default = 10.0, range = 0.0..)]
        pub beta: f32,
        #[hyper(default = 10.0, range = 1e-30..)]
        pub lipschitz: f32,
    }
    pub struct State {
        mean: f32,
        #[init(param)]
        x: f32,
        #[tensor]
        v: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &A2GradParams, step: u32) {
        let gamma = 2.0 * hyper.lipschitz / (step as f32 + 1.0);
        let alpha = 2.0 / (step as f32 + 3.0);
        let alpha_before = if step == 1 { 1.0 } else { 2.0 / (step as f32 + 2.0) };
        state.mean = lerp(state.mean, grad, 1.0 / step as f32);
        let difference = grad - state.mean;
        state.v += sum(difference * difference);
        let rate = 1.0 / (gamma + hyper.beta * state.v.sqrt());
        state.x -= rate * grad;
        *param = lerp(*param, state.x, alpha) - (1.0 - alpha) * alpha_before * rate * grad;
    }
}
