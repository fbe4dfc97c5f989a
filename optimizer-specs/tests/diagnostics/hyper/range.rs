#[gpu_optimizer]
pub mod rule {
    pub enum Mode {
        Plain,
    }
    pub struct RuleParams {
        #[hyper(default = 1.0, range = 0.0..1.0)]
        pub at_the_end: f32,
        #[hyper(default = -0.5, range = 0.0..)]
        pub below: f32,
        #[hyper(default = 7, range = ..=6)]
        pub above: u32,
        #[hyper(default = Some(2.0), range = 0.0..1.0)]
        pub payload: Option<f32>,
        #[hyper(default = 1.0, range = 1.0..0.0)]
        pub reversed: f32,
        #[hyper(default = 1.0, range = 1.0..1.0)]
        pub empty: f32,
        #[hyper(default = 1.0, range = ..)]
        pub unbounded: f32,
        #[hyper(default = 1.0, range = 0..)]
        pub whole_bound: f32,
        #[hyper(default = 1, range = 1.0..)]
        pub real_bound: u32,
        #[hyper(default = 1.0, range = 1.0)]
        pub number: f32,
        #[hyper(default = true, range = 0..1)]
        pub flag: bool,
        #[hyper(default = Mode::Plain, range = 0..1)]
        pub mode: Mode,
        #[hyper(default = 1.0, range = 0.0..=0.5)]
        pub closed: f32,
    }
    fn update(param: &mut f32, grad: f32) {
        *param -= grad;
    }
}
