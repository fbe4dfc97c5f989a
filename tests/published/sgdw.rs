// SGDW: SGD whose weight decay is decoupled. Loshchilov & Hutter, "Decoupled Weight Decay Regularization", ICLR 2019.
#[gpu_optimizer]
pub mod sgdw {
    pub struct SgdWParams {
        #[hyper(default = 1e-4, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.0, range = 0.0..1.0, switch)]
        pub momentum: f32,
        #[hyper(default = 0.0, range = 0.0..=1.0)]
        pub dampening: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
        #[hyper(default = false)]
        pub nesterov: bool,
    }
    pub struct State {
        buffer: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &SgdWParams, step: u32) {
        *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
        let mut direction = grad;
        if hyper.momentum != 0.0 {
            state.buffer =
                if step == 1 { grad } else { hyper.momentum * state.buffer + (1.0 - hyper.dampening) * grad };
            direction = if hyper.nesterov { grad + hyper.momentum * state.buffer } else { state.buffer };
        }
        *param -= hyper.learning_rate * direction;
    }
}
