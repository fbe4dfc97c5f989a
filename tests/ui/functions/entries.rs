use optirs_gpu_macros::gpu_optimizer;

#[gpu_optimizer]
pub mod descent {
    pub struct DescentParams {
        #[hyper(default = 0.1, range = 0.0..)]
        pub learning_rate: f32,
    }
    fn update(param: &mut f32, grad: f32, hyper: &DescentParams) {
        *param -= hyper.learning_rate * grad;
    }
    #[entry(mode = eval)]
    fn evaluate(param: &mut f32) {
        *param = 2.0 * *param;
    }
    #[entry(mode = sleep)]
    fn sleep(param: &mut f32) {
        *param = 0.5 * *param;
    }
}

fn main() {}
