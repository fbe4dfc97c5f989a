// PID: gradient, its integral and its derivative as a controller takes them. An et al., "A PID Controller Approach for
// Stochastic Optimization of Deep Networks", CVPR 2018.
#[gpu_optimizer]
pub mod pid {
    pub struct PidParams {
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub momentum: f32,
        #[hyper(default = 0.0, range = 0.0..=1.0)]
        pub dampening: f32,
        #[hyper(default = 10.0, range = 0.0..)]
        pub derivative: f32,
        #[hyper(default = 5.0, range = 0.0..)]
        pub integral: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }
    pub struct State {
        previous: f32,
        sum: f32,
        change: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &PidParams, step: u32) {
        let g = grad + hyper.weight_decay * *param;
        let difference = if step == 1 { 0.0 } else { g - state.previous };
        state.sum = hyper.momentum * state.sum + (1.0 - hyper.dampening) * g;
        state.change = hyper.momentum * state.change + (1.0 - hyper.momentum) * difference;
        state.previous = g;
        *param -= hyper.learning_rate * (g + hyper.integral * state.sum + hyper.derivative * state.change);
    }
}
