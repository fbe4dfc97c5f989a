//! A rule where neither the prelude nor its macros are in scope.

#![no_implicit_prelude]

use ::optirs_gpu_macros::gpu_optimizer;

/// Momentum with everything that a rule can hold.
#[gpu_optimizer]
#[allow(dead_code)]
#[require(gain >= 0.0 || ndim() > 1, "needs a gain that is not negative, or a matrix")]
pub mod everything {
    /// Hyper-parameters.
    pub struct EverythingParams {
        /// Step size.
        #[hyper(default = 0.5, range = 0.0..)]
        pub learning_rate: f32,
        /// Option.
        #[hyper(default = None, range = 0.0..=1.0)]
        pub decay: Option<f32>,
        /// Number.
        #[hyper(default = 2, range = 1.., switch)]
        pub period: u32,
        /// Truth.
        #[hyper(default = true, shared)]
        pub keep: bool,
        /// Real.
        #[hyper(default = 1.0, shared)]
        pub gain: f32,
        /// Choice.
        #[hyper(default = Kind::Plain)]
        pub kind: Kind,
    }
    /// Kinds.
    pub enum Kind {
        /// As it is.
        Plain,
        /// Divided by its norm.
        Scaled,
    }
    pub struct State {
        /// Buffer.
        #[init(learning_rate)]
        buffer: f32,
        #[tensor]
        size: f32,
        #[all]
        total: f32,
        #[host]
        #[init(1.0)]
        product: f64,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &EverythingParams, step: u32) {
        let g = match hyper.kind {
            Kind::Plain => grad,
            Kind::Scaled => grad / norm(grad),
        };
        state.size = state.size + sum(g * g);
        state.total = state.total + all::max_abs(g);
        state.product *= hyper.decay.unwrap_or(0.5);
        state.buffer = if hyper.keep { state.buffer + g } else { g };
        if step % hyper.period == 0 {
            *param -= hyper.learning_rate * hyper.gain * state.product * state.buffer;
        } else {
            *param -= state.buffer / (state.size + state.total);
        }
    }
}

#[::core::prelude::v1::test]
fn defaults_are_valid() {
    let params = <everything::EverythingParams as ::core::default::Default>::default();
    ::core::assert!(::optirs_gpu::rule::RuleParams::validate(&params).is_ok());
}
