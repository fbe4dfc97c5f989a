//! The optimizer rule language of optirs-gpu and its compiler.
//!
//! ```text
//! rule ──► parse ──► ast ──► check ──► checked ──► lower ──► ir::Graph ──► plan ──► ir::Program ──► emit
//! ```
//!
//! Data flows one way; each stage is a module of that name. No GPU crate is needed: the compiler is an ordinary library
//! over syn, and the same code serves the `#[gpu_optimizer]` macro, the `optspec` command and the tests.

pub mod ast;
pub mod check;
pub mod checked;
pub mod compile;
pub mod emit;
pub mod error;
pub mod expand;
pub mod explain;
pub mod functions;
pub mod interp;
pub mod ir;
pub mod layout;
pub mod lower;
mod naming;
mod nearest;
pub mod options;
pub mod parse;
pub mod plan;
pub mod report;
pub mod standard;
pub mod stub;

pub use compile::{Compiled, compile};
