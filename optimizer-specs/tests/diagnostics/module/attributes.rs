#[cfg(feature = "rule")]
#[gpu_optimizer(crates = optirs)]
#[cfg(feature = "rule")]
#[inline]
#[tensor]
pub mod rule {
    //! Documentation passes through.
    #![allow(dead_code)]
    #[derive(Clone)]
    #[repr(C)]
    pub struct RuleParams {
        /// Step size.
        #[deprecated]
        #[hyper(default = 1e-3)]
        #[hyper(default = 1e-2)]
        #[serde(rename = "lr")]
        pub learning_rate: f32,
    }
    pub struct State {
        #[input]
        extra: f32,
        #[hyper(default = 1.0)]
        #[keep(always)]
        m: f32,
    }
    #[inline]
    fn update(#[must_use] #[cfg(test)] param: &mut f32, grad: f32, state: &mut State, hyper: &RuleParams) {
        #[allow(unused)]
        #[cfg(test)]
        let x = grad;
        state.m = grad;
        *param -= hyper.learning_rate * state.m;
    }
}
