//! What the documents show is what the project does.

use optimizer_specs::parse::parse_file;

/// The README's fenced block of a language.
fn block<'a>(readme: &'a str, fence: &str) -> &'a str {
    let (_, after) = readme.split_once(fence).unwrap();
    after.split_once("```").unwrap().0
}

#[test]
fn the_readmes_wgsl_is_what_its_rule_becomes() {
    let readme = include_str!("../../README.md");
    let mut rules = parse_file(block(readme, "```rust\n")).unwrap();
    let (attribute, item) = rules.pop().unwrap();
    let compiled = optimizer_specs::compile(attribute, item).unwrap();
    let variant = &compiled.variants[compiled.default_variant];
    let emitted = optimizer_specs::emit::wgsl::program(&compiled.rule, variant, &variant.programs[0]);
    let shown = block(readme, "```wgsl\n");
    assert!(shown.lines().count() > 10);
    assert!(emitted.contains(shown), "the README shows\n{shown}\nbut the rule becomes\n{emitted}");
}
