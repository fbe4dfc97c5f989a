#[gpu_optimizer]
pub mod schedule_free {
    fn updat(param: &mut f32, grad: f32) {
        *param -= grad;
    }
}
