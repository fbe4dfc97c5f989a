use optirs_gpu_macros::gpu_optimizer;

#[gpu_optimizer]
#[require(learning_rate > grad, "what a requirement cannot see")]
#[require(learning_rate * 2.0, "no condition")]
#[require(learning_rate > 0.0)]
pub mod descent {
    pub struct DescentParams {
        #[hyper(default = 0.1, range = 0.0..)]
        pub learning_rate: f32,
    }
    fn update(param: &mut f32, grad: f32, hyper: &DescentParams) {
        *param -= hyper.learning_rate * grad;
    }
}

fn main() {}
