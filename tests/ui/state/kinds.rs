use optirs_gpu_macros::gpu_optimizer;

#[gpu_optimizer]
pub mod descent {
    pub struct DescentParams {
        #[hyper(default = 0.1, range = 0.0..)]
        pub learning_rate: f32,
    }
    pub struct State {
        #[tensor]
        #[host]
        both: f32,
        #[host]
        narrow: f32,
        wide: f64,
        #[init(grad)]
        first: f32,
        count: u32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &DescentParams) {
        *param -= hyper.learning_rate * grad;
    }
}

fn main() {}
