/// Adagrad with learning rate decay and L2 weight decay.
///
/// Duchi, Hazan & Singer, "Adaptive Subgradient Methods for Online Learning and Stochastic Optimization", JMLR 2011.
/// Follows `torch.optim.Adagrad`: with `g = grad + weight_decay·p`, `sum += g²`,
/// `p ← p − lr/(1 + (t − 1)·lr_decay) · g / (√sum + ε)`.
///
/// Where the denominator is 0 (ε = 0 and every gradient so far 0) the update is 0; torch gives NaN there.
#[gpu_optimizer]
pub mod adagrad {
    /// Hyper-parameters of [`GpuAdagrad`].
    pub struct AdagradParams {
        /// Step size.
        #[hyper(default = 1e-2, range = 0.0..)]
        pub learning_rate: f32,
        /// Decay of the step size: at update t it is `learning_rate / (1 + (t − 1)·lr_decay)`.
        #[hyper(default = 0.0, range = 0.0..)]
        pub lr_decay: f32,
        /// Added to the root of the sum of squares.
        #[hyper(default = 1e-10, range = 0.0..)]
        pub epsilon: f32,
        /// L2 penalty, added to the gradient.
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
        /// What the sum of squares starts from.
        #[hyper(default = 0.0, range = 0.0..)]
        pub initial_accumulator: f32,
    }

    pub struct State {
        /// Sum of the squared gradients.
        #[init(initial_accumulator)]
        square_sum: f32,
    }

    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &AdagradParams, step: u32) {
        let rate = hyper.learning_rate / (1.0 + (step - 1) as f32 * hyper.lr_decay);
        let g = grad + hyper.weight_decay * *param;
        state.square_sum += g * g;
        let denominator = state.square_sum.sqrt() + hyper.epsilon;
        let direction = if denominator == 0.0 { 0.0 } else { g / denominator };
        // At a rate of 0 the parameter keeps its bits, whatever the direction is.
        if hyper.learning_rate != 0.0 {
            *param -= rate * direction;
        }
    }
}
