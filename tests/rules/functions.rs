// Every element function: for every element, once for a tensor, of values of any sign and size.
#[gpu_optimizer]
pub mod functions {
    pub struct FunctionsParams {
        #[hyper(default = 1e-2, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.7, range = -3.0..3.0)]
        pub power: f32,
    }
    pub struct State {
        #[keep]
        root: f32,
        #[keep]
        logarithm: f32,
        #[keep]
        powers: f32,
        #[keep]
        #[tensor]
        size: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &FunctionsParams) {
        let size = 1.0 + norm(grad);
        state.size = size.ln() * (-size).exp() + size.cbrt() * size.recip().tanh() + size.powf(hyper.power);
        let level = grad.abs() + 1e-3;
        state.root = grad.cbrt();
        state.logarithm = level.ln();
        state.powers = level.powf(hyper.power) + level.powf(0.1 * grad) + (*param).powf(3.0);
        *param -= hyper.learning_rate * ((3.0 * grad).tanh() + (-4.0 * grad * grad).exp());
    }
}
