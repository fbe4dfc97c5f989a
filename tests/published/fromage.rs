// Fromage: the gradient at the size of the parameter, and a step back for the growth of its norm. Bernstein et al., "On
// the distance between two neural networks and the stability of learning", NeurIPS 2020.
#[gpu_optimizer]
pub mod fromage {
    pub struct FromageParams {
        #[hyper(default = 1e-2, range = 0.0..)]
        pub learning_rate: f32,
    }
    fn update(param: &mut f32, grad: f32, hyper: &FromageParams) {
        let (param_norm, grad_norm) = (norm(*param), norm(grad));
        let scale = if param_norm > 0.0 && grad_norm > 0.0 { param_norm / grad_norm } else { 1.0 };
        *param -= hyper.learning_rate * (grad * scale);
        *param /= (1.0 + hyper.learning_rate * hyper.learning_rate).sqrt();
    }
}
