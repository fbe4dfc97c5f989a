#[gpu_optimizer]
pub mod adam {
    fn update( {
    }
}
