// SGD-SaI: SGD with momentum whose rate is set per tensor by the signal-to-noise ratio of its first gradient. Xu et
// al., "No More Adam: Learning Rate Scaling at Initialization is All You Need", arXiv:2412.11768.
#[gpu_optimizer]
pub mod sgd_sai {
    pub struct SgdSaiParams {
        #[hyper(default = 1e-2, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.9, range = 0.0..1.0, switch)]
        pub momentum: f32,
        #[hyper(default = 1e-8, range = 1e-30..)]
        pub epsilon: f32,
        #[hyper(default = 0.01, range = 0.0..)]
        pub weight_decay: f32,
    }
    pub struct State {
        m: f32,
        #[tensor]
        ratio: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &SgdSaiParams, step: u32) {
        if step == 1 {
            let difference = grad - mean(grad);
            let spread = if ndim() > 1 && dim(0) != 1 {
                (sum(difference * difference) / (len() - 1) as f32).sqrt()
            } else {
                0.0
            };
            let size = norm(grad);
            state.ratio = if spread != 0.0 { size / (spread + hyper.epsilon) } else { size };
        }
        let mut direction = grad;
        if hyper.momentum != 0.0 {
            state.m = lerp(state.m, grad, 1.0 - hyper.momentum);
            direction = state.m;
        }
        *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
        *param -= hyper.learning_rate * state.ratio * direction;
    }
}
