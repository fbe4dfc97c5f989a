// SGD, torch form, all options.
#[gpu_optimizer]
#[require(!nesterov || (momentum > 0.0 && dampening == 0.0), "nesterov needs momentum above 0 and dampening 0")]
pub mod sgd {
    pub struct SgdParams {
        #[hyper(default = 1e-2, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.0, range = 0.0.., switch)]
        pub momentum: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub dampening: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
        #[hyper(default = false)]
        pub nesterov: bool,
    }
    pub struct State {
        buf: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &SgdParams, step: u32) {
        let g = grad + hyper.weight_decay * *param;
        let d = if hyper.momentum != 0.0 {
            state.buf = if step == 1 { g } else { hyper.momentum * state.buf + (1.0 - hyper.dampening) * g };
            if hyper.nesterov { g + hyper.momentum * state.buf } else { state.buf }
        } else {
            g
        };
        *param -= hyper.learning_rate * d;
    }
}
