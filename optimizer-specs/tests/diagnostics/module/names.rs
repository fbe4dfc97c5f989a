#[gpu_optimizer]
pub mod rule {
    pub enum Rule {
        A,
    }
    pub enum GpuRule {
        A,
    }
    pub enum generated {
        A,
    }
    pub enum Option {
        A,
    }
    pub struct RuleParams {
        #[hyper(default = 1e-3)]
        pub rate: f32,
        #[hyper(default = 1e-3)]
        pub rate: f32,
        #[hyper(default = 1e-3)]
        pub None: f32,
    }
    pub struct State {
        m: f32,
        m: f32,
    }
    const HALF: f32 = 0.5;
    const HALF: f32 = 0.5;
    const len: u32 = 1;
    fn norm(x: f32) -> f32 {
        x
    }
    fn helper(x: f32, x: f32) -> f32 {
        x
    }
    fn helper(x: f32) -> f32 {
        x
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &RuleParams, grad: f32) {
        state.m = helper(grad, HALF) * hyper.rate;
        *param -= norm(state.m);
    }
}
