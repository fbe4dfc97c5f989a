//! The binary as a person calls it.

use std::process::Command;

/// What the binary prints; none where there is no GPU and none is required.
pub fn run(arguments: &[&str]) -> Option<String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_optirs-gpu-benches"));
    let output = command.args(arguments).output().expect("the binary runs");
    let error = String::from_utf8_lossy(&output.stderr);
    if error.contains("no usable GPU adapter") && std::env::var("OPTIRS_REQUIRE_GPU").as_deref() != Ok("1") {
        println!("SKIP: {error}");
        return None;
    }
    assert!(output.status.success(), "{error}");
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}
