//! A rule that knows the runtime only through another crate.

use optirs_gpu::rule::Rule;
use optirs_gpu_macros::gpu_optimizer;

/// Plain descent.
#[gpu_optimizer(crate = crate::hygiene::facade::engine)]
pub mod descent {
    /// Hyper-parameters.
    pub struct DescentParams {
        /// Step size.
        #[hyper(default = 0.5)]
        pub learning_rate: f32,
    }
    fn update(param: &mut f32, grad: f32, hyper: &DescentParams) {
        *param -= hyper.learning_rate * grad;
    }
}

#[test]
fn it_is_the_same_trait() {
    assert_eq!(descent::Descent::NAME, "descent");
}
