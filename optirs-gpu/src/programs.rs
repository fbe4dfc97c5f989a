//! What runs around a rule, written in the language of rules and compiled as they are. Who trains has no need of it:
//! [`Optimizer::set_clipping`](crate::Optimizer::set_clipping), [`WeightAverage`](crate::WeightAverage),
//! [`GradientAccumulator`](crate::GradientAccumulator) and [`Snapshot`](crate::Snapshot) run it.

use optirs_gpu_macros::standard_rule;

standard_rule!("guard");
standard_rule!("average");
standard_rule!("accumulate");
standard_rule!("distance");

pub use accumulate::{Accumulate, AccumulateParams};
pub use average::{Average, AverageParams};
pub use distance::{Distance, DistanceParams};
pub use guard::{Guard, GuardParams, Scope};
