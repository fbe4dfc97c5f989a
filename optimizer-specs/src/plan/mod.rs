//! The pass planner.

/// How a plan was found; for `explain`.
#[derive(Clone, Debug, Default)]
pub struct Report {}
