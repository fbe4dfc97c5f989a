use optirs_gpu_macros::gpu_optimizer;

#[gpu_optimizer]
pub mod descent {
    pub struct DescentParams {
        #[hyper(default = 0.1, range = 0.0..)]
        pub learning_rate: f32,
    }
    fn update(param: &mut f32, grad: f32, hyper: &DescentParams) {
        let mut sum = 0.0;
        for i in 0..3 {
            sum += grad;
        }
        let double = |x: f32| 2.0 * x;
        unsafe { sum = double(sum) };
        println!("{sum}");
        return;
    }
}

fn main() {}
