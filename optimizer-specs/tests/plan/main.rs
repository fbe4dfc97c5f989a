//! The pass planner on graphs of published rules, built by hand.

mod choice;
mod rules;
mod write;
