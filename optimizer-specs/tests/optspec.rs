//! The `optspec` command, as a user runs it.

#![cfg(feature = "cli")]
#![allow(clippy::expect_used, reason = "a test may fail so")]

use std::path::Path;
use std::process::{Command, Output};

fn optspec(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_optspec"));
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("specs"));
    command.args(arguments).output().expect("the command runs")
}

fn printed(arguments: &[&str]) -> String {
    let output = optspec(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// What a command that fails says.
fn refused(arguments: &[&str]) -> String {
    let output = optspec(arguments);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}");
    assert!(output.stdout.is_empty(), "{arguments:?}");
    String::from_utf8(output.stderr).expect("UTF-8")
}

#[test]
fn each_target_is_emitted() {
    for (target, part) in [
        ("wgsl", "@compute @workgroup_size(256)\nfn update_pass2("),
        ("msl", "kernel void update_pass2("),
        ("cpu", "fn update_pass2("),
        ("host", "struct Row {"),
        ("ir", "kernel update_pass2: pass, pass 1"),
    ] {
        let text = printed(&["emit", "lamb.rs", "--target", target]);
        assert!(text.contains(part), "{target}: {text}");
    }
}

#[test]
fn options_left_out_are_as_near_to_the_defaults_as_can_be() {
    let text = printed(&["explain", "sgd.rs", "--options", "momentum=nonzero"]);
    assert!(text.contains("== momentum = nonzero, nesterov = false =="), "{text}");
    assert!(!text.contains("nesterov = true"), "{text}");
    // Nesterov momentum needs a momentum.
    let text = printed(&["explain", "sgd.rs", "--options", "nesterov=true"]);
    assert!(text.contains("== momentum = nonzero, nesterov = true =="), "{text}");
}

#[test]
fn the_time_of_a_run_is_predicted_from_its_bytes_and_a_bandwidth() {
    let text = printed(&["explain", "lamb.rs", "--bandwidth", "4284", "--elements", "268435456"]);
    assert!(
        text.contains(
            "\nupdate: 40 bytes per element\n  2.5064 ms for 10.7374 GB of 268435456 elements, at 4284 GB/s\n"
        ),
        "{text}"
    );
    let text = printed(&["explain", "adamw.rs", "--bandwidth", "0.5"]);
    assert!(text.contains("  56.0000 ms for 0.0280 GB of 1000000 elements, at 0.5 GB/s\n"), "{text}");
    assert!(!printed(&["explain", "adamw.rs"]).contains(" ms "));
    for (wrong, said) in
        [("0", "above 0"), ("-1", "above 0"), ("inf", "above 0"), ("NaN", "above 0"), ("fast", "invalid float")]
    {
        let output = optspec(&["explain", "adamw.rs", &format!("--bandwidth={wrong}")]);
        assert_eq!(output.status.code(), Some(2), "{wrong}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(said), "{wrong}");
    }
    assert_eq!(optspec(&["explain", "adamw.rs", "--elements", "5"]).status.code(), Some(2));
}

#[test]
fn options_that_do_not_exist_are_listed() {
    assert_eq!(
        refused(&["explain", "sgd.rs", "--options", "momentum=0.9"]),
        "error: no variant has these options; there is\n  \
         momentum=0,nesterov=false\n  momentum=nonzero,nesterov=false\n  momentum=nonzero,nesterov=true\n"
    );
}

#[test]
fn an_entry_or_a_rule_that_does_not_exist() {
    let message = refused(&["emit", "adam.rs", "--target", "ir", "--entry", "evaluate"]);
    assert_eq!(message, "error: no entry `evaluate`; there is update\n");
    let message = refused(&["explain", "adam.rs", "--rule", "adamw"]);
    assert_eq!(message, "error: adam.rs: no such rule; there is adam\n");
    assert!(refused(&["explain", "nowhere.rs"]).starts_with("error: nowhere.rs: "));
}

#[test]
fn the_picture_goes_to_standard_output_or_into_a_file() {
    let svg = printed(&["explain", "lamb.rs", "--svg"]);
    assert!(svg.starts_with("<svg xmlns=") && svg.ends_with("</svg>\n"), "{svg}");
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lamb.svg");
    let file = path.to_str().expect("a path of UTF-8");
    assert_eq!(printed(&["explain", "lamb.rs", "--svg", file]), "");
    assert_eq!(std::fs::read_to_string(&path).expect("the file"), svg);
}

#[test]
fn right_rules_are_counted() {
    assert_eq!(printed(&["check", "adam.rs", "lamb.rs"]), "adam.rs: 1 rule\nlamb.rs: 1 rule\n");
}
