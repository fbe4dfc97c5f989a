//! The same rule gives the same text, byte for byte, however often it is compiled.

use optimizer_specs::emit::{msl, wgsl};
use optirs_gpu_tests::compiled::rules;

fn sources() -> Vec<String> {
    let rules = rules();
    let cases = rules.iter().flat_map(|rule| rule.cases());
    cases
        .flat_map(|case| {
            [wgsl::program(case.rule, case.variant, case.program), msl::program(case.rule, case.variant, case.program)]
        })
        .collect()
}

#[test]
fn sources_do_not_depend_on_the_run() {
    let (first, second) = (sources(), sources());
    assert!(first == second);
}
