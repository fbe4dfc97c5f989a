#[gpu_optimizer]
pub mod rule {
    pub enum Mode {
        Plain,
        Fancy,
    }
    const COUNT: u32 = 3;
    pub struct RuleParams {
        #[hyper(default = 1)]
        pub real: f32,
        #[hyper(default = 1.0)]
        pub whole: u32,
        #[hyper(default = -1)]
        pub negative: u32,
        #[hyper(default = 0)]
        pub flag: bool,
        #[hyper(default = None)]
        pub not_optional: f32,
        #[hyper(default = 1.0)]
        pub optional: Option<f32>,
        #[hyper(default = Some(1.0))]
        pub optional_whole: Option<u32>,
        #[hyper(default = Fancy)]
        pub mode: Mode,
        #[hyper(default = Mode::Fancier)]
        pub other_mode: Mode,
        #[hyper(default = Model::Plain)]
        pub third_mode: Mode,
        #[hyper(default = COUNT)]
        pub constant: f32,
        #[hyper(default = real)]
        pub field: f32,
        #[hyper(default = 1.0.sqrt())]
        pub computed: f32,
        #[hyper(default = 1.0 / 0.0)]
        pub infinite: f32,
        #[hyper(default = len() as f32)]
        pub shape: f32,
    }
    fn update(param: &mut f32, grad: f32) {
        *param -= grad;
    }
}
