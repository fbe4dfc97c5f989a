//! The standard rules, as if their author were this crate.

use optirs_gpu::gpu_optimizer;

include!("../../../../optimizer-specs/specs/adagrad.rs");
include!("../../../../optimizer-specs/specs/adam.rs");
include!("../../../../optimizer-specs/specs/adamw.rs");
include!("../../../../optimizer-specs/specs/ftrl.rs");
include!("../../../../optimizer-specs/specs/lamb.rs");
include!("../../../../optimizer-specs/specs/madgrad.rs");
include!("../../../../optimizer-specs/specs/padam.rs");
include!("../../../../optimizer-specs/specs/rmsprop.rs");
include!("../../../../optimizer-specs/specs/sgd.rs");
