/// Stochastic gradient descent with momentum, dampening, Nesterov momentum and L2 weight decay.
///
/// With `g = grad + weight_decay·p`, and where momentum is not 0 `buf₁ = g₁`, `buf = momentum·buf + (1 − dampening)·g`:
/// `p ← p − lr·buf`, or with Nesterov `p ← p − lr·(g + momentum·buf)`.
///
/// Follows `torch.optim.SGD`: the first momentum step takes the gradient undampened, after weight decay, and the
/// learning rate multiplies the buffer, not the gradient (Sutskever et al., "On the importance of initialization and
/// momentum in deep learning", ICML 2013, multiply the gradient instead).
#[gpu_optimizer]
#[require(
    !nesterov || (momentum > 0.0 && dampening == 0.0),
    "nesterov needs momentum above 0 and dampening 0: it looks ahead along an undampened buffer"
)]
pub mod sgd {
    /// Hyper-parameters of [`GpuSgd`].
    pub struct SgdParams {
        /// Step size.
        #[hyper(default = 1e-2, range = 0.0..)]
        pub learning_rate: f32,
        /// Share of the momentum buffer that a step keeps. At 0 there is no buffer.
        #[hyper(default = 0.0, range = 0.0.., switch)]
        pub momentum: f32,
        /// Share of the gradient that does not enter the momentum buffer.
        #[hyper(default = 0.0)]
        pub dampening: f32,
        /// L2 penalty, added to the gradient.
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
        /// Nesterov momentum.
        #[hyper(default = false)]
        pub nesterov: bool,
    }

    pub struct State {
        /// Momentum buffer.
        momentum_buffer: f32,
    }

    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &SgdParams, step: u32) {
        let g = grad + hyper.weight_decay * *param;
        let direction = if hyper.momentum != 0.0 {
            state.momentum_buffer =
                if step == 1 { g } else { hyper.momentum * state.momentum_buffer + (1.0 - hyper.dampening) * g };
            if hyper.nesterov { g + hyper.momentum * state.momentum_buffer } else { state.momentum_buffer }
        } else {
            g
        };
        // At a rate of 0 the parameter keeps its bits, whatever the direction is.
        if hyper.learning_rate != 0.0 {
            *param -= hyper.learning_rate * direction;
        }
    }
}
