//! The pass planner on graphs of published rules, built by hand.

mod choice;
mod kernels;
mod rules;
mod write;
mod wrong;
