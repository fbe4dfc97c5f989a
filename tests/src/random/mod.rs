//! Random rules: a generator, what runs them beside the interpreter, and a shrinker.

pub mod broken;
pub mod features;
pub mod generate;
pub mod hunt;
#[path = "../../../optimizer-specs/tests/diagnostics/mutate.rs"]
pub mod mutate;
pub mod print;
#[path = "../../../optimizer-specs/tests/diagnostics/promises.rs"]
pub mod promises;
pub mod rule;
pub mod run;
pub mod shrink;
pub mod subject;
