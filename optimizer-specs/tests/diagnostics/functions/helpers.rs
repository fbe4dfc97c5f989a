#[gpu_optimizer]
pub mod rule {
    pub struct RuleParams {
        /// Step size.
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
    }
    pub struct State {
        m: f32,
    }
    fn scale(x: f32, hyper: &RuleParams, n: u32) -> f32 {
        x * hyper.learning_rate * n as f32 * step as f32
    }
    fn nothing(x: f32) {
        let _ = x;
    }
    fn pair(x: f32) -> (f32, f32) {
        (x, x)
    }
    fn read(state: &State) {
        state.m = 1.0;
        write(state);
    }
    fn write(state: &mut State) {
        state.m = 2.0;
    }
    fn wrong(x: f32) -> f32 {
        x;
    }
    fn wrong_type(x: f32, #[input] y: f32, z: &f32, mut w: f32) -> u32 {
        w += 1.0;
        x + w
    }
    fn descends(param: &mut f32, state: State) {
        *param -= 1.0;
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &RuleParams, step: u32) {
        let a = scale(grad);
        let b = scale(grad, hyper, state);
        let c = scale(grad, &hyper, 1);
        let d = scale(hyper, hyper, 1);
        let e = nothing(grad);
        let (f, g) = pair(grad);
        let (h, i, j) = pair(grad);
        read(state);
        write(state);
        scale(grad, hyper, 1);
        *param -= a + b + c + d + f + g + h + i + j + grad.scale(hyper, 1) + wrong(grad);
    }
}
