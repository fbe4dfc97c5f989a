#![deny(deprecated)]

use optirs_gpu_macros::gpu_optimizer;

#[gpu_optimizer]
pub mod descent {
    pub struct DescentParams {
        #[hyper(default = 0.1)]
        pub learning_rate: f32,
        #[hyper(default = 0.1)]
        pub unused: f32,
    }
    pub struct State {
        last: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &DescentParams) {
        state.last = grad;
        *param -= hyper.learning_rate * grad;
    }
}

fn main() {}
