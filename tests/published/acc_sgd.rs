// AccSGD: Kidambi et al., "On the Insufficiency of Existing Momentum Schemes for Stochastic Optimization", ICLR 2018.
#[gpu_optimizer]
pub mod acc_sgd {
    pub struct AccSgdParams {
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 1000.0, range = 1.0..)]
        pub kappa: f32,
        #[hyper(default = 10.0, range = 0.1..)]
        pub xi: f32,
        #[hyper(default = 0.7, range = 0.1..1.0)]
        pub constant: f32,
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }
    pub struct State {
        #[init(param)]
        buffer: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &AccSgdParams) {
        let large_rate = hyper.learning_rate * hyper.kappa / hyper.constant;
        let beta = hyper.xi * hyper.constant * hyper.constant / hyper.kappa;
        let zeta = hyper.constant / (hyper.constant + beta);
        let g = grad + hyper.weight_decay * *param;
        state.buffer = beta * ((1.0 / beta - 1.0) * state.buffer - large_rate * g + *param);
        *param = lerp(*param - hyper.learning_rate * g, state.buffer, 1.0 - zeta);
    }
}
