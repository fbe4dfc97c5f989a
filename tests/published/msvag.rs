// M-SVAG: momentum, each element by the share of its square that is not variance. Balles & Hennig, "Dissecting Adam:
// The Sign, Magnitude and Variance of Stochastic Gradients", ICML 2018.
#[gpu_optimizer]
pub mod msvag {
    pub struct MsvagParams {
        #[hyper(default = 1e-2, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta: f32,
    }
    pub struct State {
        m: f32,
        v: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &MsvagParams, step: u32) {
        let (beta, power) = (hyper.beta, hyper.beta.powi(step));
        let rho = ((1.0 - power * power) * (1.0 - beta) * (1.0 - beta)
            / ((1.0 - beta * beta) * (1.0 - power) * (1.0 - power)))
            .min(0.9999);
        state.m = lerp(state.m, grad, 1.0 - beta);
        state.v = beta * state.v + (1.0 - beta) * grad * grad;
        let m_hat = state.m / (1.0 - power);
        let square = m_hat * m_hat;
        let variance = (state.v / (1.0 - power) - square) / (1.0 - rho);
        let whole = rho * variance + square;
        let share = if whole != 0.0 {
            (square / whole).clamp(0.0, 1.0)
        } else if square > 0.0 {
            1.0
        } else {
            0.0
        };
        *param -= hyper.learning_rate * (m_hat * share);
    }
}
