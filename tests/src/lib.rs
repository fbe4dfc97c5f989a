//! Shared pieces of the cross-crate tests.

pub mod compiled;
pub mod devices;
pub mod golden;
pub mod rules;
