//! Rules run by the interpreter beside what was generated from them.
//!
//! [`Model`] keeps what a runtime keeps (counters, first values of states) around the interpreter, in any of its number
//! types. [`table`] lists the expanded rules, one line each; [`setup`] pairs them with their sources and finds
//! hyper-parameters for every combination of options.

pub mod data;
pub mod edge;
pub mod hypers;
pub mod model;
pub mod random;
pub mod setup;
pub mod table;
pub mod training;

pub use data::Data;
pub use model::{How, Model, StepInputs};
pub use random::Random;
pub use setup::{Setup, TestRule, test_rules};
