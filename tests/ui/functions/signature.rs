use optirs_gpu_macros::gpu_optimizer;

#[gpu_optimizer]
pub mod descent {
    pub struct DescentParams {
        #[hyper(default = 0.1, range = 0.0..)]
        pub learning_rate: f32,
    }
    fn update(param: f32, gradient: f32, hyper: &DescentParams, step: f32) -> f32 {
        param - hyper.learning_rate * gradient
    }
}

fn main() {}
