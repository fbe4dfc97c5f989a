use optirs_gpu_macros::gpu_optimizer;

#[gpu_optimizer]
pub mod descent {
    pub struct DescentParams {
        #[hyper(default = 0.1, range = 0.0..)]
        pub learning_rate: f32,
    }
    fn update(param: &mut f32, grad: f32, hyper: &DescentParams) {
        let rounded = grad.floor();
        let remainder = grad % hyper.learning_rate;
        *param -= rounded + remainder;
    }
}

fn main() {}
