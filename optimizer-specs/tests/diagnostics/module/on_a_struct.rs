#[gpu_optimizer]
pub struct AdamParams {
    pub learning_rate: f32,
}

#[gpu_optimizer]
fn update() {}
