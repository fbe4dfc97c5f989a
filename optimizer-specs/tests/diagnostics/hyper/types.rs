#[gpu_optimizer]
pub mod rule {
    pub struct RuleParams {
        #[hyper(default = 1.0)]
        pub double: f64,
        #[hyper(default = 1)]
        pub size: usize,
        #[hyper(default = 1.0)]
        pub half: f16,
        #[hyper(default = "x")]
        pub text: String,
        #[hyper(default = Some(true))]
        pub maybe: Option<bool>,
        #[hyper(default = (1.0, 2.0))]
        pub betas: (f32, f32),
        #[hyper(default = [1.0, 2.0])]
        pub list: [f32; 2],
        #[hyper(default = 1.0)]
        pub path: std::primitive::f32,
        #[hyper(default = 1.0)]
        pub vector: Vec<f32>,
        #[hyper(default = Mode::Plain)]
        pub mode: Mod,
        #[hyper(default = 1.0)]
        pub reference: &'static f32,
    }
    pub enum Mode {
        Plain,
    }
    fn update(param: &mut f32, grad: f32) {
        *param -= grad;
    }
}
