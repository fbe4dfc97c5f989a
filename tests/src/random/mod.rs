//! Random rules: a generator, what runs them beside the interpreter, and a shrinker.

pub mod broken;
pub mod features;
pub mod generate;
pub mod hunt;
pub mod print;
pub mod rule;
pub mod run;
pub mod shrink;
pub mod subject;
