//! What `explain` says, as golden files: `UPDATE_EXPECT=1 cargo test` writes them anew.

use expect_test::expect_file;
use optimizer_specs::explain;
use optimizer_specs::ir::Names;

use crate::sources::{compiled, rule};

fn text(name: &str) -> String {
    let compiled = rule(name);
    explain::text(name, &Names::of(&compiled.rule), &compiled.variants, None)
}

#[test]
fn lamb() {
    expect_file!["explain/lamb.txt"].assert_eq(&text("lamb"));
}

#[test]
fn sgd_with_its_variants() {
    expect_file!["explain/sgd.txt"].assert_eq(&text("sgd"));
}

#[test]
fn schedule_free_with_its_entries_and_host_states() {
    expect_file!["explain/schedule_free_adamw.txt"].assert_eq(&text("schedule_free_adamw"));
}

#[test]
fn the_picture_of_lamb() {
    let compiled = rule("lamb");
    let variant = &compiled.variants[0];
    let svg = explain::svg("lamb", &Names::of(&compiled.rule), variant, &variant.programs[0]);
    expect_file!["explain/lamb.svg"].assert_eq(&svg);
}

/// A helper that uses its argument twice, called thirty times on its own result: written out, a billion terms.
#[test]
fn formulas_that_nobody_could_read_are_cut_short() {
    let nested = |innermost: &str| format!("{}{innermost}{}", "square(".repeat(30), ")".repeat(30));
    let source = format!(
        "#[gpu_optimizer]
pub mod rule {{
    pub struct RuleParams {{
        #[hyper(default = 1e-3)]
        pub learning_rate: f32,
    }}
    fn square(x: f32) -> f32 {{
        x * x
    }}
    fn update(param: &mut f32, grad: f32, hyper: &RuleParams) {{
        *param -= {} * {};
    }}
}}
",
        nested("hyper.learning_rate"),
        nested("grad")
    );
    let compiled = compiled(&source).remove(0);
    let program = &compiled.variants[0].programs[0];
    let host = optimizer_specs::emit::host::program(&compiled.rule, &compiled.variants[0], program);
    let explained = explain::text("rule", &Names::of(&compiled.rule), &compiled.variants, None);
    for text in [host, explained] {
        assert!(text.contains("… * …"), "{text}");
        assert!(text.lines().all(|line| line.len() < 3000), "{text}");
    }
}
