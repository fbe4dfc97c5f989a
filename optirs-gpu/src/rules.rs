//! The standard rules, each expanded in a module of its own.

use optirs_gpu_macros::standard_rule;

standard_rule!("sgd");
standard_rule!("adam");
standard_rule!("adamw");
standard_rule!("rmsprop");
standard_rule!("adagrad");
standard_rule!("lamb");
standard_rule!("madgrad");
standard_rule!("ftrl");
standard_rule!("padam");

pub use adagrad::{Adagrad, AdagradParams, GpuAdagrad};
pub use adam::{Adam, AdamParams, GpuAdam};
pub use adamw::{AdamW, AdamWParams, GpuAdamW};
pub use ftrl::{Ftrl, FtrlParams, GpuFtrl};
pub use lamb::{GpuLamb, Lamb, LambParams};
pub use madgrad::{GpuMadgrad, Madgrad, MadgradParams};
pub use padam::{GpuPadam, Padam, PadamParams};
pub use rmsprop::{GpuRmsprop, Rmsprop, RmspropParams};
pub use sgd::{GpuSgd, Sgd, SgdParams};
