//! What runs around a rule, written in the language of rules and compiled as they are: the optimizer runs it where
//! [`Optimizer::set_clipping`](crate::Optimizer::set_clipping) and its like ask for it.

use optirs_gpu_macros::standard_rule;

standard_rule!("guard");

pub use guard::{Guard, GuardParams, Scope};
