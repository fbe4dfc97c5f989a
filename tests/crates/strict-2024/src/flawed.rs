//! Rules that the rule compiler warns of. Its warnings come as uses of deprecated functions; nothing else may fire.

#![allow(deprecated, reason = "the warnings are what this module is about")]

use optirs_gpu::gpu_optimizer;

/// A hyper-parameter that nothing reads, a state that nothing needs, a rule that will go away.
#[gpu_optimizer]
#[deprecated(note = "a test of warnings")]
pub mod descent {
    /// Hyper-parameters.
    #[deprecated(note = "a test of warnings")]
    pub struct DescentParams {
        /// Step size.
        #[hyper(default = 0.1)]
        pub learning_rate: f32,
        /// Nothing.
        #[hyper(default = 0.1)]
        #[deprecated(note = "a test of warnings")]
        pub unused: f32,
    }
    pub struct State {
        last: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &DescentParams) {
        state.last = grad;
        *param -= hyper.learning_rate * grad;
    }
}
