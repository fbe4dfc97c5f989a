use optirs_gpu_macros::gpu_optimizer;

#[gpu_optimizer]
pub mod descent {
    pub struct DescentParams {
        #[hyper(default = 0.1)]
        pub learning_rate: f32,
        #[hyper(default = None)]
        pub limit: Option<f32>,
        #[hyper(default = 3)]
        pub period: u32,
    }
    fn update(param: &mut f32, grad: f32, hyper: &DescentParams, step: u32) {
        let a = grad + 1;
        let b = step * 0.5;
        let c = hyper.limit * grad;
        let d = if grad { 1.0 } else { true };
        let e = step % hyper.period;
        grad = 2.0;
        *param -= hyper.learning_rate * (a + b + c + d + e as f32);
    }
}

fn main() {}
