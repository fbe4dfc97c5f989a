use optirs_gpu_macros::gpu_optimizer;

#[gpu_optimizer]
pub mod descent {
    use std::collections::HashMap;

    #[derive(Clone)]
    pub struct DescentParams {
        #[hyper(default = 0.1, range = 0.0..)]
        pub learning_rate: f32,
    }

    impl DescentParams {}

    #[cfg(feature = "fast")]
    fn update(param: &mut f32, grad: f32, hyper: &DescentParams) {
        *param -= hyper.learning_rate * grad;
    }
}

fn main() {}
