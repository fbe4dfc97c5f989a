//! The pass planner on graphs of published rules, built by hand.

mod choice;
mod diagnostics;
mod equal;
mod explain;
mod kernels;
mod random;
mod rules;
mod sources;
mod write;
mod wrong;
