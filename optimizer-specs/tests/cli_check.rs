//! `optspec check`: what it prints and the code it exits with.

#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail so")]

use std::process::{Command, Output};

use expect_test::expect;

/// Runs `optspec check` in the folder of the crate.
fn check(files: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_optspec"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).arg("check").args(files);
    let Output { status, stdout, stderr } = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

#[test]
fn rules_that_are_right_exit_with_0() {
    let found = check(&["specs/adam.rs", "specs/sgd.rs"]);
    assert_eq!(found, (0, "specs/adam.rs: 1 rule\nspecs/sgd.rs: 1 rule\n".to_owned(), String::new()));
}

#[test]
fn a_wrong_rule_is_drawn_and_exits_with_1() {
    let (code, stdout, stderr) = check(&["tests/diagnostics/functions/misspelt_update.rs", "specs/adam.rs"]);
    assert_eq!((code, stdout.as_str()), (1, "specs/adam.rs: 1 rule\n"));
    expect![[r#"
        error[params]: the rule has no parameter struct
         --> tests/diagnostics/functions/misspelt_update.rs:2:9
          |
        2 | pub mod schedule_free {
          |         ^^^^^^^^^^^^^
          |
          = help: add `pub struct ScheduleFreeParams { … }`: it makes `GpuScheduleFree`

        error[no-update]: the rule has no `fn update`
         --> tests/diagnostics/functions/misspelt_update.rs:3:8
          |
        3 |     fn updat(param: &mut f32, grad: f32) {
          |        ^^^^^
          |
          = help: rename `updat` to `update`

        error[signature]: a helper function cannot change the parameter
         --> tests/diagnostics/functions/misspelt_update.rs:3:21
          |
        3 |     fn updat(param: &mut f32, grad: f32) {
          |                     ^
          |
          = help: return the new value; or make the function an entry: `update`, or one marked `#[entry]`

        tests/diagnostics/functions/misspelt_update.rs: 3 errors
    "#]]
    .assert_eq(&stderr);
}

#[test]
fn errors_of_every_stage_are_drawn() {
    for (case, code) in [
        ("module/syntax", "syntax"),
        ("names/unknown", "unknown-name"),
        ("lowering/extents", "state-extent"),
        ("lowering/inputs", "too-many-buffers"),
    ] {
        let (exit, stdout, stderr) = check(&[&format!("tests/diagnostics/{case}.rs")]);
        assert_eq!((exit, stdout.as_str()), (1, ""), "{case}");
        assert!(stderr.contains(&format!("error[{code}]")), "{case}: {stderr}");
    }
}

#[test]
fn warnings_are_drawn_and_exit_with_0() {
    let (code, stdout, stderr) = check(&["tests/diagnostics/warnings/unused.rs"]);
    assert_eq!((code, stdout.as_str()), (0, "tests/diagnostics/warnings/unused.rs: 1 rule\n"));
    assert!(stderr.contains("warning[unused-hyper]: hyper-parameter `unused` is never read"), "{stderr}");
}

#[test]
fn a_file_that_is_not_there_exits_with_1() {
    let (code, stdout, stderr) = check(&["no-such-file.rs"]);
    assert_eq!((code, stdout.as_str()), (1, ""));
    assert!(stderr.starts_with("error: no-such-file.rs: "), "{stderr}");
}
