//! SPIR-V that naga makes of the WGSL, checked by the validator of Khronos.

use std::io::Write;
use std::process::{Command, Stdio};

use naga::back::spv;
use optirs_gpu_tests::compiled::rules;
use optirs_gpu_tests::devices::found;

use crate::naga_modules::module;

#[test]
fn spirv_val_accepts_every_program() {
    if !is_installed("spirv-val", "spirv-tools") {
        return;
    }
    for rule in &rules() {
        for case in rule.cases() {
            let (module, info) = module(case);
            let options = spv::Options::default();
            let words = spv::write_vec(&module, &info, &options, None).unwrap();
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            let report = validate(&bytes);
            assert!(report.is_empty(), "{} {}: {report}", case.rule.name, case.label());
        }
    }
}

/// Whether there is a tool. Without it a test says that it is skipped, and fails if `OPTIRS_REQUIRE_GPU` is 1.
pub fn is_installed(tool: &str, package: &str) -> bool {
    let asked = Command::new(tool).arg("--version").output();
    found(asked.map_err(|error| format!("{tool}: {error}. Install it: apt-get install {package}"))).is_some()
}

/// What the validator complains about; nothing where it accepts.
pub fn validate(bytes: &[u8]) -> String {
    let mut child = Command::new("spirv-val")
        .args(["--target-env", "vulkan1.1", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(bytes).unwrap();
    let output = child.wait_with_output().unwrap();
    if output.status.success() {
        return String::new();
    }
    let text = [output.stdout, output.stderr].concat();
    format!("refused: {}", String::from_utf8_lossy(&text))
}

#[test]
fn the_validator_refuses_what_is_wrong() {
    if is_installed("spirv-val", "spirv-tools") {
        assert!(validate(&[0; 20]).starts_with("refused"));
    }
}
