use optirs_gpu_macros::gpu_optimizer;

#[gpu_optimizer]
pub mod descent {
    pub struct DescentParams {
        #[hyper(default = 0.1, range = 0.0..)]
        pub learning_rate: f32,
    }
    fn update(param: &mut f32, grad: f32, hyper: &DescentParams) {
        let positive = count(grad > 0.0);
        let shifted = positive + 1;
        let never = positive < -1;
        *param -= if never { hyper.learning_rate * shifted as f32 } else { grad };
    }
}

fn main() {}
