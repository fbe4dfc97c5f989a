#[gpu_optimizer]
pub mod rule {
    pub enum Mode {
        Plain,
        Scaled(f32),
        Named { by: f32 },
        Numbered = 3,
        Plain,
    }
    pub enum Never {}
    pub struct RuleParams {
        #[hyper(default = Mode::Plain)]
        pub mode: Mode,
    }
    fn update(param: &mut f32, grad: f32, hyper: &RuleParams) {
        *param -= if hyper.mode == Mode::Plain { grad } else { 0.0 };
    }
}
