use optirs_gpu_macros::gpu_optimizer;

#[gpu_optimizer]
pub mod descent {
    pub struct DescentParams {
        #[hyper(default = 0.1, range = 0.0..)]
        pub learning_rate: f32,
    }
    pub struct State {
        #[tensor]
        scale: f32,
        #[all]
        total: f32,
        #[host]
        product: f64,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &DescentParams) {
        state.scale = state.scale + grad;
        state.total = state.total + sum(grad);
        state.product = state.product * all::norm(grad);
        *param -= hyper.learning_rate * state.scale * state.total * state.product * grad;
    }
}

fn main() {}
