//! Emission: a program printed for each target.
//!
//! Emitters print what stands in the [`Program`](crate::ir::Program) and decide nothing. The same program gives the
//! same text, byte for byte, and the same names on every target.

mod c_like;
pub(crate) mod docs;
pub mod host;
pub mod keywords;
pub mod literal;
pub mod msl;
pub mod names;
mod rule_text;
pub(crate) mod rust_code;
pub mod rust_cpu;
pub(crate) mod rust_expression;
mod sequence;
mod shader;
mod text;
pub mod wgsl;
