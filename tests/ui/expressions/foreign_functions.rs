use optirs_gpu_macros::gpu_optimizer;

#[gpu_optimizer]
pub mod descent {
    pub struct DescentParams {
        #[hyper(default = 0.1, range = 0.0..)]
        pub learning_rate: f32,
    }
    fn update(param: &mut f32, grad: f32, hyper: &DescentParams) {
        let a = grad.signum();
        let b = a.sqroot();
        let c = matmul(b, grad);
        let d = c.max();
        *param -= hyper.learning_rate * d;
    }
}

fn main() {}
