//! What runs a rule beside the interpreter. Each returns what is wrong, or nothing.

pub mod browser;
pub mod cpu;
pub mod metal;
pub mod naga;
pub mod plans;
pub mod wgsl;

use crate::kernels::step::Step;

/// Where a step of a subject went wrong.
pub fn at(step: &Step<'_>, place: usize, what: &str) -> String {
    format!("step {place} (`{}`): {what}", step.case.label())
}
