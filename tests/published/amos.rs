// Amos: per-tensor second moments with a decay of rate and weights that adapts to the scale of the model. Tian &
// Parikh, "Amos: An Adam-style Optimizer with Adaptive Weight Decay towards Model-Oriented Scale", arXiv:2210.11693.
#[gpu_optimizer]
pub mod amos {
    pub struct AmosParams {
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.999, range = 0.0..1.0)]
        pub beta: f32,
        #[hyper(default = 0.0, range = 0.0..1.0, switch)]
        pub momentum: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub extra_l2: f32,
        #[hyper(default = 0.25, range = 0.0..)]
        pub c: f32,
        #[hyper(default = 0.25, range = 0.0..)]
        pub d: f32,
        #[hyper(default = 1e-18, range = 1e-30..)]
        pub epsilon: f32,
    }
    pub struct State {
        m: f32,
        #[tensor]
        v: f32,
        #[tensor]
        decay: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &AmosParams, step: u32) {
        let scale = if ndim() <= 1 {
            0.5
        } else if ndim() == 2 {
            (2.0 / dim(1) as f32).sqrt()
        } else {
            (1.0 / dim(1) as f32).sqrt()
        };
        let rate = hyper.learning_rate * scale;
        let square = mean(grad * grad);
        state.v = lerp(state.v, square, 1.0 - hyper.beta);
        let inverse = (1.0 - hyper.beta.powi(step)) / (state.v + hyper.epsilon);
        let factor_c = 1.0 / (1.0 + hyper.c * hyper.learning_rate.sqrt() * state.decay).sqrt();
        let factor_d = 1.0 / (1.0 + hyper.d * rate.sqrt() * state.decay);
        let gamma = factor_c * (hyper.learning_rate * hyper.learning_rate) * inverse * square;
        let mut change = (*param * ((gamma - hyper.extra_l2) / 2.0) + rate * (inverse.sqrt() * grad)) * factor_d;
        state.decay = state.decay * (1.0 + gamma) + gamma;
        if hyper.momentum != 0.0 {
            state.m = lerp(state.m, change, 1.0 - hyper.momentum);
            change = state.m;
        }
        *param -= change;
    }
}
