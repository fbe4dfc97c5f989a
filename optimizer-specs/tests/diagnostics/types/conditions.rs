#[gpu_optimizer]
pub mod rule {
    pub struct RuleParams {
        /// Step size.
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = true)]
        pub flag: bool,
        #[hyper(default = Mode::Plain)]
        pub mode: Mode,
        #[hyper(default = Other::Plain)]
        pub other: Other,
        #[hyper(default = None, range = 1..)]
        pub every: Option<u32>,
    }
    pub struct State {
        m: f32,
    }
    pub enum Mode {
        Plain,
    }
    pub enum Other {
        Plain,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &RuleParams, step: u32) {
        let a = if grad { 1.0 } else { 2.0 };
        let b = if step { 1.0 } else { 2.0 };
        let c = if grad > 0.0 { 1.0 } else { 2 };
        let d = if grad > 0.0 { 1.0 };
        let e = if grad > 0.0 { 1.0 } else { state.m = 1.0; };
        let f = if grad > 0.0 { state.m = 1.0; } else { 1.0 };
        let g = if grad > 0 { 1.0 } else { 2.0 };
        let h = if step > 0.0 { 1.0 } else { 2.0 };
        let i = if hyper.flag == true { 1.0 } else { 2.0 };
        let j = if hyper.mode > Mode::Plain { 1.0 } else { 2.0 };
        let k = if hyper.mode == Other::Plain { 1.0 } else { 2.0 };
        let l = if hyper.every == None { 1.0 } else { 2.0 };
        let m = if hyper.every > 1 { 1.0 } else { 2.0 };
        let n = if let Some(every) = hyper.flag { 1.0 } else { 2.0 };
        let o = hyper.every.unwrap_or(1.0) + hyper.flag.unwrap_or(1.0) + hyper.learning_rate.is_some();
        let p = hyper.every + 1;
        let q = { state.m = 1.0; };
        if grad > 0.0 { 1.0 } else { 2.0 };
        grad + 1.0;
        let (r, s) = grad;
        let (t, u) = (1.0, 2.0, 3.0);
        *param -= a + b + c + d + e + f + g + h + i + j + k + l + m + n;
    }
}
