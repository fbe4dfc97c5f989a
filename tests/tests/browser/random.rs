//! Random rules in the browser. For more of them:
//! `cargo run -p optirs-gpu-tests --example random_rules -- 1000 --by browser`.

use std::path::PathBuf;

use optirs_gpu_tests::browser::Browser;
use optirs_gpu_tests::random::hunt::{Hunt, Means};

#[test]
fn random_rules_are_read_without_a_word_and_stay_inside_the_bound() {
    let Some(browser) = Browser::open_or_skip() else { return };
    let mut hunt = Hunt::new(PathBuf::new(), None, Some(browser));
    let findings: Vec<_> = hunt.run(0..12, &[Means::Browser]).iter().map(ToString::to_string).collect();
    assert!(findings.is_empty(), "{}", findings.join("\n"));
    let compared = hunt.compared;
    assert!(compared.numbers > 100_000 && compared.unbounded * 5 < compared.numbers, "{compared:?}");
}
