//! Any text as a source file. `seeds.sh` puts the rules of the repository into its corpus.

#![no_main]

use libfuzzer_sys::fuzz_target;
use optirs_gpu_fuzz::{assert_wgsl_is_valid, promises};

fuzz_target!(|source: &str| {
    promises::keep_for_file(source, assert_wgsl_is_valid).unwrap_or_else(|broken| panic!("{broken}"));
    proc_macro2::extra::invalidate_current_thread_spans();
});
