use optirs_gpu_macros::gpu_optimizer;

#[gpu_optimizer]
pub mod descent {
    pub struct DescentParams {
        #[hyper(default = 0.1, range = 0.0..)]
        pub learning_rate: f32,
    }
    pub struct State {
        m: f32,
    }
    fn update(
        param: &mut f32,
        grad: f32,
        state: &mut State,
        hyper: &DescentParams,
        #[input] a: f32,
        #[input] b: f32,
        #[input] c: f32,
        #[input] d: f32,
    ) {
        state.m = state.m + a * b * c * d * norm(grad);
        *param -= hyper.learning_rate * state.m;
    }
}

fn main() {}
