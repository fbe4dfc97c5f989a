//! A user's crate in which nothing is called `optirs_gpu`: it has the runtime as `gpu`, and hands it on as `engine`.
//!
//! ```
//! use gpu::{Device, ParamSet, gpu_optimizer, ndarray::arr1};
//!
//! #[gpu_optimizer(crate = gpu)]
//! mod descent {
//!     pub struct DescentParams {
//!         #[hyper(default = 0.5)]
//!         pub learning_rate: f32,
//!     }
//!     fn update(param: &mut f32, grad: f32, hyper: &DescentParams) {
//!         *param -= hyper.learning_rate * grad;
//!     }
//! }
//!
//! let device = Device::cpu();
//! let mut params = ParamSet::new(&device, [("w", arr1(&[1.0]))])?;
//! let mut optimizer = descent::GpuDescent::on(&device, descent::DescentParams::default())?;
//! params.write_grad("w", &arr1(&[1.0]))?;
//! optimizer.step(&mut params)?;
//! assert_eq!(params.read("w")?[[0]], 0.5);
//! # Ok::<(), gpu::GpuOptimError>(())
//! ```

#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, clippy::all, clippy::nursery, clippy::pedantic)]

pub use gpu as engine;

/// By the crate's name, as the manifest gives it.
#[engine::gpu_optimizer(crate = gpu)]
pub mod by_name {
    /// Hyper-parameters.
    pub struct DescentParams {
        /// Step size.
        #[hyper(default = 0.5, range = 0.0..)]
        pub learning_rate: f32,
    }
    fn update(param: &mut f32, grad: f32, hyper: &DescentParams) {
        *param -= hyper.learning_rate * norm(grad) * grad;
    }
}

/// By an absolute path.
#[engine::gpu_optimizer(crate = ::gpu)]
pub mod by_absolute_path {
    /// Hyper-parameters.
    pub struct DescentParams {
        /// Step size.
        #[hyper(default = 0.5, range = 0.0..)]
        pub learning_rate: f32,
    }
    pub struct State {
        sum: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &DescentParams) {
        state.sum = state.sum + grad;
        *param -= hyper.learning_rate * state.sum;
    }
}

/// By the path of a re-export.
#[engine::gpu_optimizer(crate = crate::engine)]
pub mod by_path {
    /// Hyper-parameters.
    pub struct DescentParams {
        /// Step size.
        #[hyper(default = 0.5, range = 0.0..)]
        pub learning_rate: f32,
        /// Direction.
        #[hyper(default = false)]
        pub ascend: bool,
    }
    fn update(param: &mut f32, grad: f32, hyper: &DescentParams) {
        *param -= hyper.learning_rate * if hyper.ascend { -grad } else { grad };
    }
}

/// Makes a rule in the caller's crate, which need not know where the runtime is.
#[macro_export]
macro_rules! descent {
    ($module:ident, $params:ident, $learning_rate:literal) => {
        /// Gradient descent.
        #[$crate::engine::gpu_optimizer(crate = $crate::engine)]
        pub mod $module {
            /// Hyper-parameters.
            pub struct $params {
                /// Step size.
                #[hyper(default = $learning_rate, range = 0.0..)]
                pub learning_rate: f32,
            }
            fn update(param: &mut f32, grad: f32, hyper: &$params) {
                *param -= hyper.learning_rate * grad;
            }
        }
    };
}
