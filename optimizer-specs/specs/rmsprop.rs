/// RMSprop, plain or centered, with or without momentum, with L2 weight decay.
///
/// Hinton, "Neural Networks for Machine Learning", lecture 6e; centered: Graves, "Generating Sequences With Recurrent
/// Neural Networks", 2013, with ε outside the root. Follows `torch.optim.RMSprop`: with `g = grad + weight_decay·p`,
/// `v = αv + (1 − α)g²`, centered also `ḡ = αḡ + (1 − α)g` and `v − ḡ²` for `v` under the root.
///
/// Two departures from torch. Centered, `v − ḡ²` is clamped at 0: rounding takes it below where the gradient hardly
/// changes, and torch turns NaN there. Where the denominator is 0 (ε = 0 and every gradient so far 0) the update is 0.
#[gpu_optimizer]
pub mod rmsprop {
    /// Hyper-parameters of [`GpuRmsprop`].
    pub struct RmspropParams {
        /// Step size.
        #[hyper(default = 1e-2, range = 0.0..)]
        pub learning_rate: f32,
        /// Decay rate α of the mean square.
        #[hyper(default = 0.99, range = 0.0..1.0)]
        pub alpha: f32,
        /// Added to the root of the mean square.
        #[hyper(default = 1e-8, range = 0.0..)]
        pub epsilon: f32,
        /// L2 penalty, added to the gradient.
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
        /// Share of the momentum buffer that a step keeps. At 0 there is no buffer.
        #[hyper(default = 0.0, range = 0.0.., switch)]
        pub momentum: f32,
        /// Normalize by the variance instead of the mean square.
        #[hyper(default = false)]
        pub centered: bool,
    }

    pub struct State {
        /// Decaying mean of the squared gradient.
        square_average: f32,
        /// Decaying mean of the gradient (centered only).
        gradient_average: f32,
        /// Momentum buffer.
        momentum_buffer: f32,
    }

    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &RmspropParams) {
        let g = grad + hyper.weight_decay * *param;
        state.square_average = hyper.alpha * state.square_average + (1.0 - hyper.alpha) * g * g;
        let mut variance = state.square_average;
        if hyper.centered {
            state.gradient_average = hyper.alpha * state.gradient_average + (1.0 - hyper.alpha) * g;
            variance = (variance - state.gradient_average * state.gradient_average).max(0.0);
        }
        let denominator = variance.sqrt() + hyper.epsilon;
        let mut direction = if denominator == 0.0 { 0.0 } else { g / denominator };
        if hyper.momentum != 0.0 {
            state.momentum_buffer = hyper.momentum * state.momentum_buffer + direction;
            direction = state.momentum_buffer;
        }
        // At a rate of 0 the parameter keeps its bits, whatever the direction is.
        if hyper.learning_rate != 0.0 {
            *param -= hyper.learning_rate * direction;
        }
    }
}
