//! Shared pieces of the cross-crate tests.

pub mod accuracy;
pub mod browser;
pub mod compiled;
pub mod devices;
pub mod documents;
pub mod formulas;
pub mod golden;
pub mod kernels;
pub mod mutations;
pub mod parity;
pub mod random;
pub mod rules;
