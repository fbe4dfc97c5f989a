//! The rules of the tests: options, enums, reductions over a tensor and over all, chained ones, states of every kind,
//! entries, inputs and scalars.

use optirs_gpu::gpu_optimizer;

include!("../../../rules/adafactor_1d.rs");
include!("../../../rules/corners.rs");
include!("../../../rules/functions.rs");
include!("../../../rules/lion_trust.rs");
include!("../../../rules/options.rs");
include!("../../../rules/reductions.rs");
include!("../../../rules/sam_sgd.rs");
include!("../../../rules/stable_spam.rs");
