//! The interpreter: the oracle for all generated code.
//!
//! It computes a rule twice over. [`evaluate`] takes the graph as it stands, every node once, without passes: what the
//! rule means. [`execute`] takes a program kernel by kernel, with its slots, rows and partial results, literally: a wrong
//! plan gives wrong numbers or an error. In f32 the two agree to the bit for every legal plan.
//!
//! Both are generic over the [`Number`] that the device computes with; host values are f64 and i64 always.

mod bounded;
mod bounded_function;
mod direct;
mod error;
mod execute;
mod form;
mod host;
mod known;
mod memory;
mod number;
mod reduce;
mod row;
#[cfg(test)]
mod tests;
mod value;

pub use bounded::Bounded;
pub use direct::evaluate;
pub use error::Error;
pub use execute::execute;
pub use host::{HostValue, decimal};
pub use memory::{Hyper, Memory, Tensor};
pub use number::{Count, Number, Truth};
pub use row::{host_states, row, row_words};
