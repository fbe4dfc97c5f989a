use optirs_gpu_macros::gpu_optimizer;

#[gpu_optimizer]
pub mod descent {
    pub struct DescentParams {
        #[hyper(default = 0.1, range = 0.0..)]
        pub learning_rate: f32,
    }
    pub struct State {
        anchor: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &DescentParams) {
        *param -= hyper.learning_rate * (grad - state.anchor);
    }
}

fn main() {}
