// ALI-G: Polyak's step, the loss over the squared norm of all gradients, bounded by a largest rate if one is given.
// Berrada et al., "Training Neural Networks for and by Interpolation", ICML 2020.
#[gpu_optimizer]
pub mod alig {
    pub struct AliGParams {
        #[hyper(default = None, range = 0.0..)]
        pub max_learning_rate: Option<f32>,
        #[hyper(default = 0.0, range = 0.0..1.0, switch)]
        pub momentum: f32,
    }
    pub struct State {
        buffer: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &AliGParams, #[scalar] loss: f32) {
        let size = loss / (all::sum(grad * grad) + 1e-6);
        let rate = if let Some(most) = hyper.max_learning_rate { size.min(most) } else { size };
        *param -= rate * grad;
        if hyper.momentum != 0.0 {
            state.buffer = hyper.momentum * state.buffer - rate * grad;
            *param += hyper.momentum * state.buffer;
        }
    }
}
