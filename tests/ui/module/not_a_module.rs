use optirs_gpu_macros::gpu_optimizer;

#[gpu_optimizer]
pub struct Adam {
    pub learning_rate: f32,
}

fn main() {}
