use optirs_gpu_macros::gpu_optimizer;

#[gpu_optimizer]
pub mod descent {
    pub struct DescentParams {
        #[hyper(default = 0.1, range = 0.0..)]
        pub learning_rate: f32,
    }
    fn even(x: f32) -> f32 {
        odd(x - 1.0)
    }
    fn odd(x: f32) -> f32 {
        even(x - 1.0)
    }
    fn update(param: &mut f32, grad: f32, hyper: &DescentParams) {
        *param -= hyper.learning_rate * even(grad);
    }
}

fn main() {}
