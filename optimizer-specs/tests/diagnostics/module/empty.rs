#[gpu_optimizer]
pub mod adam {}
