/// Adadelta: steps in the units of the parameter, from decaying means of squared gradients and of squared steps.
///
/// Zeiler, "ADADELTA: An Adaptive Learning Rate Method", arXiv:1212.5701, Algorithm 1, as `torch.optim.Adadelta` has
/// it: with `g = grad + weight_decay·p`, `v = ρv + (1 − ρ)g²`, `d = √(a + ε)/√(v + ε) · g`, `a = ρa + (1 − ρ)d²`, `p ←
/// p − lr·d`.
///
/// With ε = 0 nothing ever moves, since `a` begins at 0; where `v + ε` is 0 the step is 0.
#[gpu_optimizer]
pub mod adadelta {
    /// Hyper-parameters of [`GpuAdadelta`].
    pub struct AdadeltaParams {
        /// Factor of the step; the paper has none (1).
        #[hyper(default = 1.0, range = 0.0..)]
        pub learning_rate: f32,
        /// Decay rate ρ of both means.
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub rho: f32,
        /// Added inside both roots.
        #[hyper(default = 1e-6, range = 0.0..)]
        pub epsilon: f32,
        /// L2 penalty, added to the gradient.
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }

    pub struct State {
        /// Decaying mean of the squared gradient.
        v: f32,
        /// Decaying mean of the squared step.
        a: f32,
    }

    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &AdadeltaParams) {
        let g = grad + hyper.weight_decay * *param;
        state.v = hyper.rho * state.v + (1.0 - hyper.rho) * g * g;
        let root = (state.v + hyper.epsilon).sqrt();
        let delta = if root == 0.0 { 0.0 } else { (state.a + hyper.epsilon).sqrt() / root * g };
        state.a = hyper.rho * state.a + (1.0 - hyper.rho) * delta * delta;
        // At a rate of 0 the parameter keeps its bits, whatever the direction is.
        if hyper.learning_rate != 0.0 {
            *param -= hyper.learning_rate * delta;
        }
    }
}
