//! A rule of the repository, right or wrong, with some of its tokens changed: the bytes say which and how. With `SHOW=1`
//! it prints the rule that it makes of an input.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;
use optimizer_specs::parse;
use optirs_gpu_fuzz::mutate::{Choices, mutate};
use optirs_gpu_fuzz::{assert_wgsl_is_valid, promises, seeds};

static SEEDS: LazyLock<Vec<String>> = LazyLock::new(seeds);

/// A rule that is changed more often says little that one of fewer changes does not.
const MOST_CHANGES: usize = 12;

/// Decisions taken from the fuzzer's bytes; where they end, the first choice.
struct Bytes<'a>(Unstructured<'a>);

impl Choices for Bytes<'_> {
    fn below(&mut self, end: usize) -> usize {
        self.0.int_in_range(0..=end.saturating_sub(1)).unwrap_or(0)
    }
}

fuzz_target!(|bytes: &[u8]| {
    let mut choices = Bytes(Unstructured::new(bytes));
    let seed = &SEEDS[choices.below(SEEDS.len())];
    let other = &SEEDS[choices.below(SEEDS.len())];
    if let (Ok(rules), Ok(pool)) = (parse::parse_file(seed), other.parse()) {
        for (_, mut item) in rules.into_iter().take(1) {
            for _ in 0..MOST_CHANGES {
                if !choices.0.is_empty() {
                    item = mutate(&item, &pool, &mut choices);
                }
            }
            if std::env::var_os("SHOW").is_some() {
                println!("{item}");
            }
            // Whether it is refused or not is all the same here.
            promises::keep_for_rule(&item, assert_wgsl_is_valid).unwrap_or_else(|broken| panic!("{broken}"));
        }
    }
    proc_macro2::extra::invalidate_current_thread_spans();
});
