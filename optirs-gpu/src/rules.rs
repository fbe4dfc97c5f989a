//! The standard rules, each expanded in a module of its own.

use optirs_gpu_macros::standard_rule;

standard_rule!("sgd");
standard_rule!("adam");
standard_rule!("adamw");
standard_rule!("rmsprop");
standard_rule!("adagrad");
standard_rule!("lamb");

pub use adagrad::{Adagrad, AdagradParams, GpuAdagrad};
pub use adam::{Adam, AdamParams, GpuAdam};
pub use adamw::{AdamW, AdamWParams, GpuAdamW};
pub use lamb::{GpuLamb, Lamb, LambParams};
pub use rmsprop::{GpuRmsprop, Rmsprop, RmspropParams};
pub use sgd::{GpuSgd, Sgd, SgdParams};
