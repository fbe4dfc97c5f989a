//! Rules that must not compile, and what the user then reads: every error on its own token, with what to write instead.
//!
//! After a change of wording: `TRYBUILD=overwrite cargo test -p optirs-gpu-tests --test compile_fail`, then read the diff.

#[test]
fn rules_that_must_not_compile() {
    trybuild::TestCases::new().compile_fail("ui/*/*.rs");
}
