//! Shared pieces of the cross-crate tests.

pub mod compiled;
pub mod devices;
