//! The sources of the standard rules: `optirs-gpu` expands them, the tests and `optspec` read them.

macro_rules! rules {
    ($($name:literal),* $(,)?) => {
        /// Module name and source of every standard rule: those of the classic surface first, the others by name.
        pub const ALL: &[(&str, &str)] = &[$(($name, include_str!(concat!("../specs/", $name, ".rs")))),*];
    };
}

rules!(
    "sgd",
    "adam",
    "adamw",
    "rmsprop",
    "adagrad",
    "lamb",
    "adabelief",
    "adadelta",
    "adamax",
    "adamaxw",
    "adan",
    "ademamix",
    "adopt",
    "amsgrad",
    "asgd",
    "cautious_adamw",
    "diffgrad",
    "ftrl",
    "grams",
    "lamb_apex",
    "lamb_bounded",
    "laprop",
    "lars",
    "lion",
    "madgrad",
    "nadam",
    "novograd",
    "padam",
    "prodigy",
    "qhadam",
    "radam",
    "rprop",
    "schedule_free_adamw",
    "sign_sgd",
    "signum",
    "sophia",
    "stableadamw",
    "tiger",
    "yogi",
);

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
