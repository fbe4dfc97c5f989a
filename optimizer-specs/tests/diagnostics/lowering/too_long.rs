#[gpu_optimizer]
pub mod doubling {
    pub struct DoublingParams {
        #[hyper(default = 1e-3, range = 0.0..)]
        pub rate: f32,
    }
    fn f0(x: f32) -> f32 {
        f1(x) * f1(-x)
    }
    fn f1(x: f32) -> f32 {
        f2(x) * f2(-x)
    }
    fn f2(x: f32) -> f32 {
        f3(x) * f3(-x)
    }
    fn f3(x: f32) -> f32 {
        f4(x) * f4(-x)
    }
    fn f4(x: f32) -> f32 {
        f5(x) * f5(-x)
    }
    fn f5(x: f32) -> f32 {
        f6(x) * f6(-x)
    }
    fn f6(x: f32) -> f32 {
        f7(x) * f7(-x)
    }
    fn f7(x: f32) -> f32 {
        f8(x) * f8(-x)
    }
    fn f8(x: f32) -> f32 {
        f9(x) * f9(-x)
    }
    fn f9(x: f32) -> f32 {
        f10(x) * f10(-x)
    }
    fn f10(x: f32) -> f32 {
        f11(x) * f11(-x)
    }
    fn f11(x: f32) -> f32 {
        f12(x) * f12(-x)
    }
    fn f12(x: f32) -> f32 {
        x.sqrt()
    }
    fn update(param: &mut f32, grad: f32, hyper: &DoublingParams) {
        *param -= hyper.rate * f0(grad);
    }
}
