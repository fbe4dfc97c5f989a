//! Rules run by the interpreter beside what was generated from them.
//!
//! [`Model`] keeps what a runtime keeps
//! (counters, first values of states) around the interpreter, in any of its number types.

pub mod data;
pub mod hypers;
pub mod model;
pub mod random;

pub use data::Data;
pub use model::Model;
pub use random::Random;
