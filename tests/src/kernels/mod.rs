//! Kernels run one program at a time on the buffers of the kernel ABI, without the runtime.

pub mod arena;
#[path = "../../cpu/launch.rs"]
pub mod cpu;
pub mod gpu;
pub mod metal;
pub mod naga_metal;
pub mod shim;
pub mod step;

pub use arena::{Arena, Buffers};
pub use gpu::Gpu;
pub use metal::{Source, unite, unite_kernels};
