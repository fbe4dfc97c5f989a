//! What Tint says of sources: nothing of ours, and the faults of others.

use std::slice::from_ref;

use optimizer_specs::ir::Variant;
use optimizer_specs::layout::Role;
use optimizer_specs::plan::{Context, all_plans, records};
use optirs_gpu_tests::browser::{Module, in_browser};
use optirs_gpu_tests::compiled::{Case, rules};

/// Of more legal plans of a program than this, as many are compiled, evenly spread.
const MOST_PLANS: usize = 16;

/// Fails where something was said of a program.
fn assert_silence(said: &[String], case: Case<'_>, module: &Module) {
    assert!(said.is_empty(), "{} {}: {said:#?}\n{}", case.rule.name, case.label(), module.source);
}

#[test]
fn every_program_compiles_without_a_word() {
    in_browser(|browser| {
        println!("device: {}", browser.name());
        let mut programs = 0;
        for case in rules().iter().flat_map(|rule| rule.cases()) {
            let module = Module::of(case);
            assert_silence(&browser.compile(&module), case, &module);
            programs += 1;
        }
        assert!(programs >= 90, "only {programs} programs: are rules missing?");
    });
}

#[test]
fn programs_that_share_a_buffer_with_what_they_write_are_read_without_a_word() {
    in_browser(|browser| {
        let mut changed = 0;
        for case in rules().iter().flat_map(|rule| rule.cases()) {
            let module = Module::of(case);
            let sharing = module.clone().with_written(Role::Gradient).with_written(Role::Input(0));
            assert_silence(&browser.read(&sharing.source), case, &sharing);
            changed += usize::from(module.source != sharing.source);
        }
        assert!(changed >= 90, "only {changed} programs read gradients");
    });
}

#[test]
fn other_plans_are_read_without_a_word() {
    in_browser(|browser| {
        let mut read = 0;
        for case in rules().iter().flat_map(|rule| rule.cases()) {
            let plans = all_plans(&case.program.graph);
            for plan in plans.iter().step_by(plans.len().div_ceil(MOST_PLANS).max(1)) {
                let (all, tensor) = records(&Context::of(&plan.graph), from_ref(plan));
                let variant = Variant { all, tensor, ..case.variant.clone() };
                let case = Case { variant: &variant, program: plan, ..case };
                let module = Module::of(case);
                assert_silence(&browser.read(&module.source), case, &module);
                read += 1;
            }
        }
        assert!(read >= 200, "only {read} plans");
    });
}

const NOT_UNIFORM: &str = "'workgroupBarrier' must only be called from uniform control flow";

/// What is replaced in LAMB's source, by what, and what is said of it.
const FAULTS: [(&str, &str, &str); 8] = [
    // Barriers that not all of a workgroup reach, or not all as often.
    ("if (index >= header.y) {", "if (index >= header.y || scalars[0] != 0u) {", NOT_UNIFORM),
    ("let header = chunks[0];", "let header = chunks[invocation];", NOT_UNIFORM),
    ("stride = 128u", "stride = invocation", NOT_UNIFORM),
    (
        "workgroupBarrier();\n        if (invocation < stride) {",
        "if (invocation < stride) {\n            workgroupBarrier();",
        NOT_UNIFORM,
    ),
    // Operands of different types; a value that its type does not have.
    ("const lanes = vec4u(0u, 1u, 2u, 3u);", "const lanes = vec4f(0.0, 1.0, 2.0, 3.0);", "no matching overload"),
    ("const lanes = vec4u(0u, 1u, 2u, 3u);", "const lanes = vec4u(0u, 1u, 2u, -3);", "cannot be represented as 'u32'"),
    // No error, but a warning.
    ("let header = chunks[0];", "let header = chunks[0];\n    if (header.x == 0u) { return; return; }", "warning"),
    // Only a pipeline shows that a kernel writes what it is said to read.
    (
        "var<storage, read> gradients",
        "var<storage, read_write> gradients",
        "not compatible with the type in the layout",
    ),
];

#[test]
fn faults_are_reported() {
    in_browser(|browser| {
        let rules = rules();
        let lamb = rules.iter().find(|rule| rule.name() == "lamb").unwrap();
        for (from, to, what) in FAULTS {
            let module = Module::of(lamb.cases().next().unwrap()).with(from, to);
            let said = browser.compile(&module);
            assert!(said.iter().any(|report| report.contains(what)), "`{from}` became `{to}`: {said:#?}");
        }
    });
}
