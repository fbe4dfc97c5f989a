#[gpu_optimizer]
mod adam;
