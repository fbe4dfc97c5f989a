use optirs_gpu_macros::gpu_optimizer;

#[gpu_optimizer]
#[require(!nesterov || momentum > 0.0, "nesterov needs momentum")]
pub mod descent {
    pub struct DescentParams {
        #[hyper(default = 0.0, range = 0.0.., switch)]
        pub momentum: f32,
        #[hyper(default = true)]
        pub nesterov: bool,
    }
    pub struct State {
        buffer: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &DescentParams) {
        state.buffer = hyper.momentum * state.buffer + grad;
        *param -= if hyper.nesterov { grad + hyper.momentum * state.buffer } else { state.buffer };
    }
}

fn main() {}
