#[gpu_optimizer]
pub mod rule {
    pub struct RuleParams {
        /// Step size.
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = Mode::Plain)]
        pub mode: Mode,
    }
    pub struct State {
        m: f32,
    }
    pub enum Mode {
        Plain,
    }
    const LIMIT: f32 = 1.0;
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &RuleParams, step: u32) {
        let g = grda + hyper.lerning_rate * step;
        let bias = 1.0 - hyper.beta1.powi(step);
        state.mm = g + state.velocity;
        let limit = LIMT + learning_rate + m + EPSILON;
        let h = foo(limit) + nrom(grad) + grad.sqr() + grad.squrt();
        let mode = if hyper.mode == Mode::Plane { 1.0 } else { 2.0 };
        let other = if hyper.mode == Mod::Plain { 1.0 } else { 2.0 };
        let third = if hyper.mode == Plain { 1.0 } else { 2.0 };
        let path = a::b::c + f32::EPS + f32::PI + f32::DIGITS;
        let typed: Real = 1.0;
        let second: int = 1;
        let third: boolean = true;
        let far = if hyper.mode == Xyz::Plain { 1.0 } else { 2.0 };
        let call = foo::bar(grad);
        let read = state.param;
        *param -= run as f32 * bias + h + mode + other + third + path + typed;
    }
}
