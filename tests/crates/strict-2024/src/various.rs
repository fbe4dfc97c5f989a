//! The rules of the tests: options, enums, reductions over a tensor and over all, chained ones, states of every kind,
//! entries, inputs and scalars.

use optirs_gpu::gpu_optimizer;

include!("../../../rules/adafactor_1d.rs");
include!("../../../rules/adan.rs");
include!("../../../rules/amsgrad.rs");
include!("../../../rules/cautious_adamw.rs");
include!("../../../rules/corners.rs");
include!("../../../rules/functions.rs");
include!("../../../rules/lamb_apex.rs");
include!("../../../rules/lion_trust.rs");
include!("../../../rules/nadam.rs");
include!("../../../rules/novograd.rs");
include!("../../../rules/options.rs");
include!("../../../rules/prodigy.rs");
include!("../../../rules/radam.rs");
include!("../../../rules/reductions.rs");
include!("../../../rules/rprop.rs");
include!("../../../rules/sam_sgd.rs");
include!("../../../rules/schedule_free_adamw.rs");
include!("../../../rules/sophia.rs");
include!("../../../rules/stable_spam.rs");
