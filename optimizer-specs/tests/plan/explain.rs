//! What `explain` says, as golden files: `UPDATE_EXPECT=1 cargo test` writes them anew.

use expect_test::expect_file;
use optimizer_specs::explain;
use optimizer_specs::ir::Names;

use crate::sources::rule;

fn text(name: &str) -> String {
    let compiled = rule(name);
    explain::text(name, &Names::of(&compiled.rule), &compiled.variants)
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
