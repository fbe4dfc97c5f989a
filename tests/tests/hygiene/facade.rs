//! Stands for a crate that re-exports the runtime.

pub mod engine {
    //! The runtime under another name.
    pub use optirs_gpu::*;
}
