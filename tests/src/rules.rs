//! Rules beyond the standard ones, so that nothing in the compiler or the runtime is built for Adam alone.
//!
//! Each is compiled from its file by `#[gpu_optimizer]`, as a user's own rule would be; [`SOURCES`] holds the same
//! files as text, for tests of the compiler itself.

#![allow(missing_docs)]

use optirs_gpu::gpu_optimizer;

macro_rules! test_rules {
    ($($name:literal),* $(,)?) => {
        $( include!(concat!("../rules/", $name, ".rs")); )*

        /// Name and text of every test rule.
        pub const SOURCES: &[(&str, &str)] = &[
            $( ($name, include_str!(concat!("../rules/", $name, ".rs"))) ),*
        ];
    };
}

test_rules!("adafactor_1d", "corners", "functions", "lion_trust", "options", "reductions", "sam_sgd", "stable_spam",);
