use optirs_gpu_macros::gpu_optimizer;

#[gpu_optimizer]
pub mod descent {
    pub struct DescentParams {
        pub bare: f32,
        #[hyper(default = 1.5, range = 0.0..1.0)]
        pub outside: f32,
        #[hyper(default = 1, range = 1.0..0.0)]
        pub empty: f32,
        #[hyper(default = "fast")]
        pub text: String,
        #[hyper(default = true, switch)]
        pub truth: bool,
        #[hyper(default = 1.0, rang = 0.0..)]
        pub typo: f32,
    }
    fn update(param: &mut f32, grad: f32, hyper: &DescentParams) {
        *param -= hyper.bare * hyper.outside * hyper.empty * hyper.typo * grad;
    }
}

fn main() {}
