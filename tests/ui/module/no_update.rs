use optirs_gpu_macros::gpu_optimizer;

#[gpu_optimizer]
pub mod descent {
    pub struct Descent {
        pub learning_rate: f32,
    }
    fn step(param: &mut f32, grad: f32) {
        *param -= grad;
    }
}

fn main() {}
