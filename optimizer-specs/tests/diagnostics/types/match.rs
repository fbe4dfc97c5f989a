#[gpu_optimizer]
pub mod rule {
    pub struct RuleParams {
        /// Step size.
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = Mode::Plain)]
        pub mode: Mode,
        #[hyper(default = None, range = 1..)]
        pub every: Option<u32>,
    }
    pub struct State {
        m: f32,
    }
    pub enum Mode {
        Plain,
        Fancy,
        Odd,
    }
    pub enum Other {
        Plain,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &RuleParams, step: u32) {
        let a = match hyper.mode {
            Mode::Plain => 1.0,
            Mode::Fancy => 2.0,
        };
        let b = match hyper.mode {
            Mode::Plain => 1.0,
            Mode::Plain => 2.0,
            _ => 3.0,
            Mode::Odd => 4.0,
        };
        let c = match hyper.mode {
            Mode::Plain | Mode::Fancy if grad > 0.0 => 1.0,
            Mode::Od => 2.0,
            Other::Plain => 2.0,
            Fancy => 2.0,
            3 => 3.0,
            _ => 4.0,
        };
        let d = match hyper.mode {
            Mode::Plain => 1.0,
            _ => 1,
        };
        let e = match hyper.every {
            Some(n) => n as f32,
            None => 1.0,
        };
        let f = match grad {
            _ => 1.0,
        };
        match hyper.mode {
            Mode::Plain => state.m = 1.0,
            Mode::Fancy => {}
            Mode::Odd => grad,
        }
        match hyper.mode {}
        *param -= a + b + c + d + e + f;
    }
}
