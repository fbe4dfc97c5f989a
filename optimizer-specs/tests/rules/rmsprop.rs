// RMSprop, torch form: centered and momentum decide states.
#[gpu_optimizer]
pub mod rmsprop {
    pub struct RmspropParams {
        #[hyper(default = 1e-2, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.99, range = 0.0..1.0)]
        pub alpha: f32,
        #[hyper(default = 1e-8, range = 0.0..)]
        pub epsilon: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
        #[hyper(default = 0.0, range = 0.0.., switch)]
        pub momentum: f32,
        #[hyper(default = false)]
        pub centered: bool,
    }
    pub struct State {
        v: f32,
        mean: f32,
        buf: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &RmspropParams, step: u32) {
        let _ = step; // an unused `step` must not warn: the signature is fixed
        let g = grad + hyper.weight_decay * *param;
        state.v = hyper.alpha * state.v + (1.0 - hyper.alpha) * g * g;
        let mut second = state.v;
        if hyper.centered {
            state.mean = hyper.alpha * state.mean + (1.0 - hyper.alpha) * g;
            second = (second - state.mean * state.mean).max(0.0);
        }
        let u = g / (second.sqrt() + hyper.epsilon);
        if hyper.momentum > 0.0 {
            state.buf = hyper.momentum * state.buf + u;
            *param -= hyper.learning_rate * state.buf;
        } else {
            *param -= hyper.learning_rate * u;
        }
    }
}
