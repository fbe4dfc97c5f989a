//! What is wrong is told where it stands, and not once more of what is made of it.

#[gpu_optimizer]
pub mod rule {
    pub struct RuleParams {
        #[hyper(default = "text")]
        pub refused: f32,
        #[hyper(default = 0)]
        pub flag: bool,
        #[hyper(default = None)]
        pub limit: Option<f32>,
        #[hyper(default = Mode::Odd)]
        pub mode: Mode,
    }
    pub enum Mode {
        Plain,
        Fancy,
    }
    pub struct State {
        m: f32,
        #[tensor]
        t: f32,
        #[all]
        a: f32,
        #[host]
        h: f64,
    }
    fn wrong(x: f32) -> u32 {
        x
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &RuleParams, step: u32) {
        let a = grad + 1;
        let b: u32 = a;
        state.t = a;
        state.h = a.max(1.0);
        let c = norm(a) + hyper.refused;
        state.m = 0.0;
        state.m = c;
        state.a = all::norm(state.m);
        if hyper.flag {
            state.t = 1.0;
        }
        let d = match hyper.mode {
            Mode::Plain => hyper.limit,
            Mode::Fancy => None,
        };
        if let Some(x) = d {
            state.m += x;
        }
        let (e, f) = (wrong(grad), wrong(grad) as f32);
        let mut g = 1.0;
        while grad > 0.0 {
            g = grad;
        }
        state.m += norm(g) + f + e as f32 + (step / e.max(1)) as f32;
        let mut h = 2.0;
        if g > grad.floor() {
            h = grad;
        }
        let i = norm(h);
        *param -= i * state.m * state.t * state.a + state.h + b as f32;
    }
}
