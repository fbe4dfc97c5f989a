//! The list, by area.

mod allocators;
mod back_ends;
mod host_and_cpu;
mod interpreter;
mod language;
mod memory;
mod numerics;
mod planners;
mod planning;
mod shaders;
mod stepping;
mod training;

use super::Fault;

/// All faults, with what the areas are called.
pub const AREAS: &[(&str, &[Fault])] = &[
    ("Language: checks, options, lowering, graphs", language::FAULTS),
    ("Planner and kernel ABI", planning::FAULTS),
    ("Kernels for GPUs", shaders::FAULTS),
    ("Generated Rust: host, CPU, expansion", host_and_cpu::FAULTS),
    ("Interpreter, bounds, explanations", interpreter::FAULTS),
    ("Tables, parameters, devices", memory::FAULTS),
    ("Steps, groups, states", stepping::FAULTS),
    ("Training: clipping, scaling, sums, averages, schedules, checkpoints", training::FAULTS),
    ("Back ends and arithmetic", back_ends::FAULTS),
    ("Planners beside the optimizers: fusion, occupancy, matrix units, ranks", planners::FAULTS),
    ("Numerics beside the optimizers: conversions, quantization, sparse gradients", numerics::FAULTS),
    ("Memory beside the optimizers: allocators, residency, pools", allocators::FAULTS),
];

/// All faults.
pub fn all() -> impl Iterator<Item = &'static Fault> {
    AREAS.iter().flat_map(|(_, faults)| *faults)
}
