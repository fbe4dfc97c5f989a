//! Emission: a program printed for each target.
//!
//! Emitters print what stands in the [`Program`](crate::ir::Program) and decide nothing. The same program gives the
//! same text, byte for byte, and the same names on every target.

pub mod keywords;
pub mod names;
