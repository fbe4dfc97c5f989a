//! Measures the optimizers beside what the device can do, and beside what people would pick instead.
//!
//! Every figure is a median over real data, behind a warm-up, and stands beside the copy of as many bytes on the same device
//! in the same run. What cannot be measured is left out of a row, never written as 0.

pub mod allocations;
pub mod chart;
pub mod clock;
pub mod commands;
pub mod copy;
pub mod cpu;
pub mod data;
pub mod gpu;
pub mod machine;
pub mod measure;
pub mod row;
pub mod rules;
pub mod sets;

/// Whatever went wrong; it is told to the person at the command line.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;
