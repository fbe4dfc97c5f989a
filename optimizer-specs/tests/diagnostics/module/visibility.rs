#[gpu_optimizer]
mod rule {
    struct RuleParams {
        #[hyper(default = 1e-3)]
        learning_rate: f32,
    }
    pub(crate) struct State {
        m: f32,
    }
    enum Mode {
        Plain,
    }
    pub const HALF: f32 = 0.5;
    pub fn update(param: &mut f32, grad: f32, hyper: &RuleParams) {
        *param -= HALF * hyper.learning_rate * grad;
    }
}
