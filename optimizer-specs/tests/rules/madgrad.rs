// MADGRAD (official).
#[gpu_optimizer]
pub mod madgrad {
    pub struct MadgradParams {
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.9, range = 0.0..1.0, switch)]
        pub momentum: f32,
        #[hyper(default = 1e-6, range = 0.0..)]
        pub epsilon: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }
    pub struct State {
        v: f32,
        s: f32,
        #[init(param)]
        x0: f32,
    }
    fn quotient(s: f32, v: f32, hyper: &MadgradParams) -> f32 {
        let rms = v.cbrt() + hyper.epsilon;
        if rms == 0.0 { 0.0 } else { s / rms }
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &MadgradParams, run: u32) {
        let lr = if hyper.learning_rate != 0.0 { hyper.learning_rate + hyper.epsilon } else { 0.0 };
        let lambda = lr * (run as f32).sqrt();
        let g = grad + hyper.weight_decay * *param;
        let x0 = if hyper.momentum == 0.0 { *param + quotient(state.s, state.v, hyper) } else { state.x0 };
        state.v += lambda * (g * g);
        state.s += lambda * g;
        let z = x0 - quotient(state.s, state.v, hyper);
        *param = if hyper.momentum == 0.0 { z } else { lerp(*param, z, 1.0 - hyper.momentum) };
    }
}
