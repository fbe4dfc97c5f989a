// QHM: the momentum averaged with the gradient itself. Ma & Yarats, "Quasi-hyperbolic Momentum and Adam for Deep
// Learning", ICLR 2019.
#[gpu_optimizer]
pub mod qhm {
    pub struct QhmParams {
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.999, range = 0.0..1.0)]
        pub momentum: f32,
        #[hyper(default = 0.7, range = 0.0..=1.0)]
        pub nu: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }
    pub struct State {
        buffer: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &QhmParams) {
        let g = grad + hyper.weight_decay * *param;
        state.buffer = lerp(state.buffer, g, 1.0 - hyper.momentum);
        *param -= hyper.learning_rate * (hyper.nu * state.buffer + (1.0 - hyper.nu) * g);
    }
}
