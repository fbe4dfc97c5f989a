//! Golden trajectories: files of independent implementations, run through our rules and compared after every step.
//!
//! [`trajectory`] reads a file, [`mapping`] is the one table from a file's names to a rule, [`run`] takes a rule
//! through a trajectory on a device.

pub mod mapping;
pub mod run;
pub mod trajectory;
