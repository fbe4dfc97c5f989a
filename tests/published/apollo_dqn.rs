// Apollo: a diagonal quasi-Newton method whose curvature follows the last step, rectified at a constant. Ma, "Apollo:
// An Adaptive Parameter-wise Diagonal Quasi-Newton Method for Nonconvex Stochastic Optimization", arXiv:2009.13586.
// (ApolloDQN of pytorch_optimizer; its APOLLO is another.)
#[gpu_optimizer]
pub mod apollo_dqn {
    pub struct ApolloDqnParams {
        #[hyper(default = 1e-2, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 1e-5, range = 0.0..)]
        pub init_learning_rate: f32,
        #[hyper(default = 500, range = 1..)]
        pub warmup_steps: u32,
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta: f32,
        #[hyper(default = 1e-4, range = 1e-30..)]
        pub epsilon: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }
    pub struct State {
        m: f32,
        curvature: f32,
        direction: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &ApolloDqnParams, step: u32) {
        let (first, last) = (hyper.init_learning_rate, hyper.learning_rate);
        let warm = (last - first) * step as f32 / hyper.warmup_steps as f32 + first;
        let rate = if step >= hyper.warmup_steps { last } else { warm };
        let alpha = (1.0 - hyper.beta) / (1.0 - hyper.beta.powi(step));
        let g = grad + hyper.weight_decay * *param;
        let difference = g - state.m;
        state.m += alpha * difference;
        let square = state.direction * state.direction;
        let size = sum(square * square).sqrt().sqrt() + hyper.epsilon / 0.01;
        let unit = state.direction / size;
        let measured = -alpha * sum(difference / size * unit) - sum(state.curvature * (unit * unit));
        state.curvature += unit * unit * measured;
        state.direction = state.m / state.curvature.abs().max(0.01);
        *param -= rate * state.direction;
    }
}
