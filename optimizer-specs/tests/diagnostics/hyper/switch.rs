#[gpu_optimizer]
pub mod rule {
    pub enum Mode {
        Plain,
    }
    pub struct RuleParams {
        #[hyper(default = true, switch)]
        pub flag: bool,
        #[hyper(default = None, switch)]
        pub optional: Option<f32>,
        #[hyper(default = Mode::Plain, switch)]
        pub mode: Mode,
        #[hyper(default = 0.0, switch)]
        pub signed: f32,
        #[hyper(default = 0.0, range = -1.0..1.0, switch)]
        pub around: f32,
        #[hyper(default = 0.0, range = 0.0.., switch)]
        pub good: f32,
        #[hyper(default = 0, switch)]
        pub count: u32,
    }
    fn update(param: &mut f32, grad: f32, hyper: &RuleParams) {
        let a = if hyper.signed > 0.0 { 1.0 } else { 2.0 };
        let b = if 0.0 >= hyper.around { 1.0 } else { 2.0 };
        let c = if hyper.signed != 0.0 { 1.0 } else { 2.0 };
        let d = if hyper.good > 0.0 && hyper.count > 0 { 1.0 } else { 2.0 };
        *param -= grad * a * b * c * d;
    }
}
