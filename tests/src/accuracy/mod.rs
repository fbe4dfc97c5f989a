//! How far what was generated from a rule is from the interpreter: for every program of every rule the worst difference in
//! ulp, and the part of WGSL's bound that it takes up.
//!
//! A program runs once from a memory that both sides agree on to the bit, so that a difference is the program's own. The
//! memories lie on paths that the interpreter takes: updates and entries, with ordinary data and with data from the edges
//! of f32. Where records of devices are kept, and what makes the table in `docs/numerics.md` of them: [`table`].

pub mod measure;
pub mod record;
pub mod table;
pub mod target;

pub use measure::measure;
pub use record::{BackEnd, Record, Row};
pub use target::{Cpu, Metal, Target, Vulkan};
