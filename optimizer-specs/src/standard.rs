//! The sources of the standard rules: `optirs-gpu` expands them, the tests and `optspec` read them.

/// SGD with momentum, dampening, Nesterov momentum and L2 weight decay.
pub const SGD: &str = include_str!("../specs/sgd.rs");
/// Adam with L2 weight decay.
pub const ADAM: &str = include_str!("../specs/adam.rs");
/// Adam with decoupled weight decay.
pub const ADAMW: &str = include_str!("../specs/adamw.rs");
/// RMSprop, centered or not, with or without momentum.
pub const RMSPROP: &str = include_str!("../specs/rmsprop.rs");
/// Adagrad with learning rate decay.
pub const ADAGRAD: &str = include_str!("../specs/adagrad.rs");
/// LAMB.
pub const LAMB: &str = include_str!("../specs/lamb.rs");
/// MADGRAD.
pub const MADGRAD: &str = include_str!("../specs/madgrad.rs");
/// FTRL-Proximal.
pub const FTRL: &str = include_str!("../specs/ftrl.rs");
/// Padam.
pub const PADAM: &str = include_str!("../specs/padam.rs");

/// Module name and source of every standard rule.
pub const ALL: &[(&str, &str)] = &[
    ("sgd", SGD),
    ("adam", ADAM),
    ("adamw", ADAMW),
    ("rmsprop", RMSPROP),
    ("adagrad", ADAGRAD),
    ("lamb", LAMB),
    ("madgrad", MADGRAD),
    ("ftrl", FTRL),
    ("padam", PADAM),
];

/// What runs over the gradients before a rule: whether it may run, and how gradients are clipped.
pub const GUARD: &str = include_str!("../programs/guard.rs");
/// Averages of parameters over training.
pub const AVERAGE: &str = include_str!("../programs/average.rs");
/// Sums of gradients, and copies.
pub const ACCUMULATE: &str = include_str!("../programs/accumulate.rs");
/// How far parameters have come.
pub const DISTANCE: &str = include_str!("../programs/distance.rs");

/// Module name and source of what runs around a rule: written, compiled and proven as rules are.
pub const PROGRAMS: &[(&str, &str)] =
    &[("guard", GUARD), ("average", AVERAGE), ("accumulate", ACCUMULATE), ("distance", DISTANCE)];

/// The source of a standard rule, or of what runs around one.
pub fn source(name: &str) -> Option<&'static str> {
    ALL.iter().chain(PROGRAMS).find(|(known, _)| *known == name).map(|(_, source)| *source)
}
