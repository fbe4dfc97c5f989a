//! A rule among types and modules that bear the names of those that the expansion uses.

#![allow(dead_code)]

use optirs_gpu_macros::gpu_optimizer;

/// Not a number.
#[allow(non_camel_case_types)]
#[derive(Debug)]
pub struct f32;
/// Not an option.
#[derive(Debug)]
pub struct Option;
/// Not a result.
#[derive(Debug)]
pub struct Result;
/// Not a default.
pub trait Default {}
/// Not a copy.
pub trait Copy {}
/// Not the language's library.
pub mod core {}
/// Not the library.
pub mod std {}
/// Not the runtime.
pub mod optirs_gpu {}

/// Plain descent.
#[gpu_optimizer]
pub mod descent {
    /// Hyper-parameters.
    pub struct DescentParams {
        /// Step size.
        #[hyper(default = 0.5)]
        pub learning_rate: f32,
        /// Limit.
        #[hyper(default = Some(1.0))]
        pub limit: Option<f32>,
    }
    fn update(param: &mut f32, grad: f32, hyper: &DescentParams) {
        if let Some(limit) = hyper.limit {
            *param -= hyper.learning_rate * grad.clamp(-limit, limit);
        } else {
            *param -= hyper.learning_rate * grad;
        }
    }
}

#[test]
fn defaults_are_as_written() {
    let params = <descent::DescentParams as ::core::default::Default>::default();
    assert!((params.learning_rate - 0.5).abs() < 1e-9);
    assert_eq!(params.limit, Some(1.0));
}
