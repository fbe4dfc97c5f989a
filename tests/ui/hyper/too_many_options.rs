use optirs_gpu_macros::gpu_optimizer;

#[gpu_optimizer]
pub mod descent {
    pub struct DescentParams {
        #[hyper(default = false)]
        pub a: bool,
        #[hyper(default = false)]
        pub b: bool,
        #[hyper(default = false)]
        pub c: bool,
        #[hyper(default = false)]
        pub d: bool,
        #[hyper(default = false)]
        pub e: bool,
        #[hyper(default = false)]
        pub f: bool,
    }
    fn update(param: &mut f32, grad: f32, hyper: &DescentParams) {
        let all = hyper.a && hyper.b && hyper.c && hyper.d && hyper.e && hyper.f;
        *param -= if all { grad } else { 0.5 * grad };
    }
}

fn main() {}
